import { DiagnosticSeverity, languages, type Diagnostic as Shown, type Uri } from 'vscode';
import type { Diagnostic, Diagnostics, Path } from '../core/ports';
import { pathOf, uriOf, workspaceRoots } from './roots';

const SEVERITY: Record<DiagnosticSeverity, Diagnostic['severity']> = {
  [DiagnosticSeverity.Error]: 'error',
  [DiagnosticSeverity.Warning]: 'warning',
  [DiagnosticSeverity.Information]: 'info',
  [DiagnosticSeverity.Hint]: 'hint',
};

function toDiagnostic(path: Path, shown: Shown): Diagnostic {
  return {
    path,
    line: shown.range.start.line + 1,
    column: shown.range.start.character + 1,
    severity: SEVERITY[shown.severity],
    message: shown.message,
    ...(shown.source === undefined ? {} : { source: shown.source }),
  };
}

/** The problems VS Code knows of, for files of the workspace; worst first, then by place. */
export class VscodeDiagnostics implements Diagnostics {
  get(path?: Path): Promise<Diagnostic[]> {
    const roots = workspaceRoots();
    const one = path === undefined ? undefined : uriOf(path, roots);
    if (path !== undefined && !one) return Promise.resolve([]);
    const all: [Uri, Shown[]][] = one ? [[one, languages.getDiagnostics(one)]] : languages.getDiagnostics();
    const found = all.flatMap(([uri, list]) => {
      const name = pathOf(uri, roots);
      return name === undefined ? [] : list.map((shown) => toDiagnostic(name, shown));
    });
    const rank = (d: Diagnostic): number => ['error', 'warning', 'info', 'hint'].indexOf(d.severity);
    found.sort((a, b) => rank(a) - rank(b) || (a.path < b.path ? -1 : a.path > b.path ? 1 : a.line - b.line));
    return Promise.resolve(found);
  }
}

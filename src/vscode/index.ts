/** What the composition root needs of this room. */
export { VscodeDiagnostics } from './diagnostics';
export { VscodeBuffers } from './documents';
export { VscodeFormatter } from './formatter';
export { ChannelLog } from './log';
export { TerminalOutput } from './output';
export { workspaceRoots } from './roots';
export { Keys } from './secrets';
export { serverSource, ServerTrust } from './serverTrust';
export { modelSettings, VscodeSettings } from './settings';

/** Why a run could not be handed over, in one sentence with the next action. Pure. */
import type { Refusal } from '../errors';
import { refuse } from '../refusals';
import { type ArchiveError, ARCHIVE_VERSION, type ArchiveErrorCode } from './archive';

type Words = Readonly<Record<ArchiveErrorCode, (detail: string) => string>>;

const why = (detail: string): string => (detail === '' ? '' : ` (${detail})`);

const IMPORT: Words = {
  notFound: () => 'There is no such file. Nothing was imported.',
  isDirectory: () => 'That is a folder: choose the file that a run was exported to.',
  notAFile: () => 'That is no plain file (a device, a pipe or a socket). Nothing was imported.',
  tooLarge: (detail) =>
    `The file holds more than any run may${why(detail)}: it is damaged, or was not made by Export Run. Nothing was imported.`,
  badName: () => 'Importing needs the full path of a file.',
  notAnArchive: () => 'That file is no exported run. Nothing was imported.',
  torn: () => 'The file ends in the middle: copy it again, whole. Nothing was imported.',
  damaged: (detail) => `The file is damaged${why(detail)}: copy or export it again. Nothing was imported.`,
  newer: (detail) =>
    `The file was written by a newer version of Holdfast${why(detail)}; this one knows format ${ARCHIVE_VERSION}. Update Holdfast here, then import it.`,
  changed: () => 'The file was changed while it was read. Nothing was imported; import it again.',
  taken: () => 'The storage has a run of that name already. Nothing was imported; import it again.',
  exists: () => 'The storage has a run of that name already. Nothing was imported; import it again.',
  noSpace: (detail) =>
    `There is no room for the run${why(detail)}. Nothing was imported: make room, then import it again.`,
  permissionDenied: (detail) => `The file, or the storage, may not be opened${why(detail)}. Nothing was imported.`,
  other: (detail) => `The run could not be imported${why(detail)}; nothing was changed.`,
};

const EXPORT: Words = {
  ...IMPORT,
  exists: () => 'Something stands under that name already, and was left as it is. Choose another name.',
  notFound: (detail) => `The folder is not there${why(detail)}. Choose another place; nothing was written.`,
  isDirectory: () => 'That is a folder: choose the name of a file in it. Nothing was written.',
  notAFile: () => 'Something that is no plain file stands there. Choose another name; nothing was written.',
  tooLarge: (detail) =>
    `The run is too large to be handed over${why(detail)}. Nothing was written; fork it to go on smaller.`,
  badName: (detail) => (detail === '' ? 'Exporting needs the full path of a file.' : `${detail} Nothing was written.`),
  noSpace: (detail) =>
    `There is no room for the file${why(detail)}. Nothing was written: make room, or choose another place.`,
  permissionDenied: (detail) => `The file may not be written there${why(detail)}. Choose another place.`,
  damaged: (detail) => `What is stored of the run cannot be read${why(detail)}. Nothing was written.`,
  other: (detail) => `The run could not be exported${why(detail)}; nothing was written.`,
};

export const exportRefused = ({ code, detail }: ArchiveError): Refusal => answer(code, EXPORT[code](detail));
export const importRefused = ({ code, detail }: ArchiveError): Refusal => answer(code, IMPORT[code](detail));

const STORAGE: ReadonlySet<ArchiveErrorCode> = new Set(['noSpace', 'permissionDenied', 'other']);
const answer = (code: ArchiveErrorCode, message: string): Refusal =>
  refuse(STORAGE.has(code) ? 'storage' : 'badArgument', message);

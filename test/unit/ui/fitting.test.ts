import assert from 'node:assert/strict';
import { fitting } from '../../../src/ui/decisions/fitting';

const titles = (...buttons: [id: string | undefined, title: string][]): [string[], boolean] => {
  const { shown, rest } = fitting(buttons.map(([id, title]) => ({ title, ...(id === undefined ? {} : { id }) })));
  return [shown.map((button) => button.title), rest];
};

describe('buttons of a message', () => {
  it('are all there where they fit', () => {
    assert.deepEqual(
      titles(['grant', 'Allow'], ['grantForRun', 'Allow This Command for This Run'], ['reject', 'Reject']),
      [['Allow', 'Allow This Command for This Run', 'Reject'], false],
    );
  });

  it('are fewer where their labels would be cut; the view has the others', () => {
    assert.deepEqual(
      titles(
        ['mine', 'Keep Mine'],
        ['agent', "Take the Agent's"],
        ['edit', 'Edit by Hand'],
        ['redo', 'Ask the Agent to Redo'],
        [undefined, 'Show Change'],
      ),
      [['Keep Mine', "Take the Agent's", 'Edit by Hand'], true],
    );
  });

  it('are never none', () => {
    const long = 'a choice with a good many words in its label, as models like them';
    assert.deepEqual(titles(['1', long], ['2', long]), [[long], true]);
  });
});

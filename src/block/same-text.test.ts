import { expect, test } from 'vitest'
import { isSameText, undressed } from './text.ts'

test.each([
  ['a final full stop', 'The gate opens at six', 'The gate opens at six.'],
  ['a final exclamation mark', 'Never touch the red valve', 'Never touch the red valve!'],
  ['a list mark', 'Ask Mara or Ben first', '- Ask Mara or Ben first'],
  ['bold around all of it', 'Ask Mara or Ben first', '**Ask Mara or Ben first**'],
  ['italics around some words', 'Ask Mara first, always', 'Ask _Mara first_, always'],
  ['a lead-in', 'Ask Mara or Ben first', 'Note: Ask Mara or Ben first'],
  ['all of them at once', 'The gate opens at six', '- **Note: The gate  opens at six.**'],
  ['blanks between the words of a sentence', 'The gate opens at six.', 'The gate  opens   at\tsix.'],
  ['the way a letter is composed', 'Caf\u00e9 am See', 'Cafe\u0301 am See'],
])('isSameText is true of texts that differ in %s', (_, one, other) => {
  expect(isSameText(one, other)).toBe(true)
})

test.each([
  ['case', 'git branch -d', 'git branch -D'],
  ['a question mark', 'The gate opens at six', 'The gate opens at six?'],
  ['a sign before a number', '> 5 GB are free', '5 GB are free'],
  ['a mark before a command', '# sudo reboot', 'sudo reboot'],
  ['a heading mark without a blank', '#general is the channel', 'general is the channel'],
  ['a full stop after a path', 'git add .', 'git add'],
  ['a full stop after a host', 'The zone ends in example.com.', 'The zone ends in example.com'],
  ['a factorial', 'The answer is 5!', 'The answer is 5'],
  ['blanks in quotation marks', 'The name is "a b" in it.', 'The name is "a  b" in it.'],
  ['blanks in code', 'Run `a  b` before you go.', 'Run `a b` before you go.'],
  ['stars of a glob', 'Lint *.ts and *.js* files', 'Lint .ts and *.js files'],
  ['bold around one word', 'The **red** valve', 'The red valve'],
  ['a word before a colon', 'Warning: the gate is hot', 'the gate is hot'],
  ['a number before a step', '1. Open the gate', 'Open the gate'],
  ['the layout of lines', 'a:\n  b: 1', 'a:\nb: 1'],
  ['the indentation of the first line', '  a: 1\n  b: 2', 'a: 1\n  b: 2'],
  ['a mark in a text of several lines', '- a\n- b', 'a\n- b'],
  ['a prompt', '> git push origin main', 'git push origin main'],
  ['marks in quotation marks', 'The name is "*a b*" in full', 'The name is "a b" in full'],
  ['blanks without a closing stop', 'The gate  opens at six', 'The gate opens at six'],
  ['a box that is ticked', '- [ ] call Mara', '- [x] call Mara'],
])('isSameText is false of texts that differ in %s', (_, one, other) => {
  expect(isSameText(one, other)).toBe(false)
})

test('undressed of 200,000 times any shape ends before the test times out', () => {
  for (const shape of ['*a', '**', '_a b_', '- ', '# ', ' ', 'a ', '.', '!', '> > ', "a'", 'a'])
    for (const end of ['', ' b.', 'a']) {
      const text = `The gate opens ${shape.repeat(200_000)}${end}`
      expect(undressed(text).length).toBeLessThanOrEqual(text.length)
    }
})

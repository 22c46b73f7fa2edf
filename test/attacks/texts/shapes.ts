/** A text of any length is a unit that repeats, with a head and a tail. */
interface Shape {
  readonly unit: string
  readonly head?: string
  readonly tail?: string
}

/** Texts on which rules that look again at what they have seen take the square of the length, or nest without end. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  blanks: { head: 'x', unit: ' ', tail: 'y' },
  newlines: { head: 'x', unit: '\n', tail: 'y' },
  'blank lines': { head: 'x', unit: ' \t\n', tail: 'y' },
  paragraphs: { unit: 'a\n\n' },
  'nested quotes': { unit: '> ', tail: 'x' },
  'quoted lines': { unit: '> a\nb\n> - c\n' },
  'nested lists': { unit: '- ', tail: 'x' },
  'list lines': { unit: '- a\n1. b\nc\n' },
  brackets: { unit: '[' },
  'closing brackets': { unit: '")")' },
  'quotation marks': { unit: '"' },
  'open quotation marks': { unit: '«„' },
  backticks: { unit: '`' },
  fences: { unit: '```\n' },
  underscores: { head: 'x', unit: '_', tail: 'y' },
  stars: { unit: '**a_b ' },
  'one long word': { unit: 'a' },
  'mixed case': { unit: 'aB3' },
  digits: { unit: '7' },
  'grouped digits': { unit: '1,000' },
  emoji: { unit: '👩‍👩‍👧' },
  'combining marks': { head: 'a', unit: '\u0301' },
  'unsorted marks': { head: 'a', unit: '\u0345\u0301\u0323\u0300\u05b0\u064b' },
  'half-width marks': { head: 'カ', unit: '\u0301\uff9e\u0323' },
  Chinese: { unit: '門開' },
  Thai: { unit: 'ประตู' },
  Hebrew: { unit: 'שלום ' },
  'zero width': { head: 'a', unit: '\u200b', tail: 'b' },
  tags: { unit: '<a href=x>' },
  comments: { unit: '<!--' },
  links: { unit: '[](' },
  references: { unit: '[a]: b\n' },
  'table cells': { head: '|a|\n|-|\n', unit: '|' },
  'table rows': { head: '|a|\n|-|\n', unit: '|b|\n' },
  addresses: { unit: 'a.', tail: '@' },
  urls: { unit: 'a://b:' },
  JSON: { unit: '{"a":[' },
  dashes: { head: 'x', unit: '-' },
  underlines: { unit: 'a\n=\n' },
  headings: { unit: '## a\n' },
  assignments: { unit: 'password=' },
  'column names': { unit: 'user,password,' },
  'connection strings': { unit: 'Server=x;Password=' },
  escapes: { unit: '\u001b]' },
  sentences: { unit: 'a. ' },
  questions: { unit: '?[' },
  'frame lines': { unit: '[1] a b c d e f\n' },
  notes: { unit: 'note: ' },
}

/** A text of this shape of at most so many bytes. */
export function hostileText(name: string, bytes: number): string {
  const { unit, head = '', tail = '' } = SHAPES[name] as Shape
  const room = bytes - Buffer.byteLength(head) - Buffer.byteLength(tail)
  return head + unit.repeat(Math.max(1, Math.floor(room / Buffer.byteLength(unit)))) + tail
}

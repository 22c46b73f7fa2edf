/** A text of any length is a unit that repeats, with a head and a tail. */
interface Shape {
  readonly unit: string
  readonly head?: string
  readonly tail?: string
}

/** Texts on which rules that look again at what they have seen take the square of the length, or nest without end. */
export const SHAPES: Readonly<Record<string, Shape>> = {
  'blank lines': { head: 'x', unit: ' \t\n', tail: 'y' },
  paragraphs: { unit: 'a\n\n' },
  'nested quotes': { unit: '> ', tail: 'x' },
  'nested lists': { unit: '- ', tail: 'x' },
  brackets: { unit: '[' },
  'quotation marks': { unit: '"' },
  fences: { unit: '```\n' },
  underscores: { head: 'x', unit: '_', tail: 'y' },
  'one long word': { unit: 'a' },
  digits: { unit: '7' },
  emoji: { unit: '👩‍👩‍👧' },
  'unsorted marks': { head: 'a', unit: '\u0345\u0301\u0323\u0300\u05b0\u064b' },
  Chinese: { unit: '門開' },
  tags: { unit: '<a href=x>' },
  links: { unit: '[](' },
  'table cells': { head: '|a|\n|-|\n', unit: '|' },
  addresses: { unit: 'a.', tail: '@' },
  urls: { unit: 'a://b:' },
  JSON: { unit: '{"a":[' },
  headings: { unit: '## a\n' },
  assignments: { unit: 'password=' },
  'connection strings': { unit: 'Server=x;Password=' },
  sentences: { unit: 'a. ' },
  'frame lines': { unit: '[1] a b c d e f\n' },
}

/** A text of this shape of at most so many bytes. */
export function hostileText(name: string, bytes: number): string {
  const { unit, head = '', tail = '' } = SHAPES[name] as Shape
  const room = bytes - Buffer.byteLength(head) - Buffer.byteLength(tail)
  return head + unit.repeat(Math.max(1, Math.floor(room / Buffer.byteLength(unit)))) + tail
}

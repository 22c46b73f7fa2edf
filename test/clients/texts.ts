import fc from 'fast-check'

/** Words that a text of a generated file holds; a foreign edit puts another in the place of one. */
export const MARK = 'mark'

const BLANKS = fc.constantFrom('', ' ', '  ', '\t', '\n', '\n  ', '\n\t', ' \n\n    ')
const COMMENT = fc.constantFrom('', '', '', '/* c */', '// c\n', '/* " { */', '// "x": [\n', '/* a\n b */')
const FILL = fc.tuple(BLANKS, COMMENT, BLANKS).map((parts) => parts.join(''))
/** Strings as a file has them. */
const STRING = fc.oneof(
  fc.constantFrom(
    MARK,
    'a',
    'https://x.invalid/y',
    'says \\"no\\"',
    '\\u00e4\\\\',
    'é 日本',
    '// no comment',
    '}',
  ),
  fc.stringMatching(/^[a-z ]{0,8}$/),
)
const WORD = fc.oneof(
  STRING.map((text) => `"${text}"`),
  fc.constantFrom('true', 'null', '-1.5e3', '0', '12'),
)

/** A document of JSON with comments, trailing commas and any blanks, whose top is an object. */
export function jsonText(keys: readonly string[]): fc.Arbitrary<string> {
  const { document } = fc.letrec<{ document: string; value: string }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      WORD,
      parts(tie('value')).map((inner) => `[${inner}]`),
      object(fc.constantFrom('a', 'b', 'c'), tie('value')),
    ),
    document: fc
      .tuple(FILL, object(fc.constantFrom(...keys, 'a', 'b'), tie('value')), FILL)
      .map((each) => each.join('')),
  }))
  return withEnds(fc.oneof({ arbitrary: document, weight: 9 }, FILL))
}

/** Texts with a byte order mark or none, and ends of lines of one kind or of both. */
function withEnds(texts: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const ends = fc.constantFrom(['\n'], ['\r\n'], ['\r\n', '\n'], ['\n', '\r\n'])
  return fc.tuple(texts, ends, fc.boolean()).map(([text, kinds, hasMark]) => {
    let at = 0
    return (hasMark ? '\uFEFF' : '') + text.replaceAll('\n', () => kinds[at++ % kinds.length] ?? '')
  })
}

function object(key: fc.Arbitrary<string>, value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const member = fc.tuple(key, FILL, FILL, value).map(([name, a, b, each]) => `"${name}"${a}:${b}${each}`)
  return parts(member).map((inner) => `{${inner}}`)
}

/** Parts with commas between them, and perhaps one behind the last. */
function parts(part: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const filled = fc.tuple(FILL, part, FILL).map((each) => each.join(''))
  return fc
    .tuple(fc.array(filled, { maxLength: 3 }), fc.boolean(), FILL)
    .map(([each, trailing, end]) => each.join(',') + (trailing && each.length > 0 ? ',' : '') + end)
}

const TOML_VALUE = fc.constantFrom(
  `"${MARK}"`,
  "'lit # [x]'",
  '"""\nlong "quoted" [x]\n"""',
  "'''\n[no.table]\n'''",
  '[ "a", # c\n "b", ]',
  '{ a = 1, b.c = "x" }',
  '2026-11-26T08:00:00Z',
  '2026-11-26 08:00:00',
  '0x_f',
  '-1.5',
  'true',
)
const TOML_KEY = fc.constantFrom('a', 'b-c', '"quoted key"', "'lit.key'", 'dotted.key', 'd . e')
const TOML_LINE = fc.oneof(
  fc
    .tuple(TOML_KEY, fc.constantFrom(' = ', '=', ' =  '), TOML_VALUE, fc.constantFrom('', ' # c'))
    .map((each) => each.join('')),
  fc.constantFrom(
    '',
    '# comment',
    '  # [mcp_servers.elfmem]',
    '[x]',
    '[x."y z"]',
    '[[list]]',
    '[mcp_servers.other]',
    '[ mcp_servers . two ]',
  ),
)

/** A document of TOML, with or without an end of its last line. */
export function tomlText(): fc.Arbitrary<string> {
  const lines = fc.tuple(fc.array(TOML_LINE, { maxLength: 8 }), fc.boolean()).map(([written, isEnded]) => {
    // Nothing is defined twice, wherever it stands.
    const heads = written.map((line) => /^[^=#]*/.exec(line)?.[0].trim())
    const once = written.filter((_, at) => heads[at] === '' || heads.indexOf(heads[at]) === at)
    return once.join('\n') + (isEnded && once.length > 0 ? '\n' : '')
  })
  return withEnds(lines)
}

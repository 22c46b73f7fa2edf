import data from './rules.json' with { type: 'json' }
import { PASSWORD_NAMES, SAID_RULES } from './said.ts'
import { type SecretRule, type Span, TESTS } from './values.ts'

/** A rule as `rules.json` has it. A pattern may name parts (`{{HEX}}`) and, with rows, their columns (`{{1}}`). */
interface RuleData {
  readonly kind: string
  /** `[abc]` stands for each of its signs. A rule with rows has them in its first column, parted by `|`. */
  readonly keywords?: readonly string[]
  /** Is matched where a keyword begins. The text of its group `before` stays; the rest of the match is the secret. */
  readonly pattern: string
  readonly flags?: string
  /** Signs that may stand between the beginning of the match and the keyword, and at most how many of them. */
  readonly lead?: readonly [sign: string, most: number]
  /** Conditions on the secret: names of `TESTS` or regular expressions between slashes; `!` negates. */
  readonly accepts?: readonly string[]
  readonly isGuess?: true
  /** The rows of a table of rules; each becomes one rule. */
  readonly rows?: readonly (readonly string[])[]
}

const NONE: readonly Span[] = []

/** The names of a password that stand as words of their own. */
const WORDS = PASSWORD_NAMES.filter((name) => /^[\p{L}\p{M}' -]+$/u.test(name) && name.length > 3)
const PARTS: Readonly<Record<string, string>> = {
  ...data.parts,
  PASSWORDS: WORDS.map((name) => name.replace(/[ -]/g, '[ _-]?')).join('|'),
}

/** Every kind of secret that is looked for, the surest first: of two that overlap, the earlier counts. */
export const SECRET_RULES: readonly SecretRule[] = [
  ...(data.rules as unknown as readonly RuleData[]).flatMap(({ rows, ...rule }) =>
    rows === undefined ? [ruleOf(rule, [])] : rows.map((row) => ruleOf(rule, row)),
  ),
  ...SAID_RULES,
]

function ruleOf(
  { kind, keywords, pattern, flags = '', lead, accepts = [], isGuess }: RuleData,
  row: readonly string[],
): SecretRule {
  const whole = (text: string) => filled(filled(text, row), PARTS)
  const given = keywords ?? row[0]?.toLowerCase().split('|') ?? []
  const tests = accepts.map(testOf)
  const sign = lead && new RegExp(lead[0])
  let shape: RegExp | undefined
  return {
    kind: filled(kind, row),
    keywords: given.flatMap((keyword) =>
      keyword === '{{PASSWORDS}}' ? WORDS.map((each) => each.toLowerCase()) : spelledOut(keyword),
    ),
    ...(isGuess ? { isGuess } : {}),
    find: (text, at) => {
      // Most rules are never needed, so that each is compiled when its keyword first stands in a text.
      shape ??= new RegExp(whole(pattern), `${flags}y`)
      shape.lastIndex = sign === undefined ? at : backFrom(text, at, sign, lead?.[1] ?? 0)
      const match = shape.exec(text)
      if (match === null) return NONE
      const start = match.index + (match.groups?.before?.length ?? 0)
      const end = match.index + match[0].length
      if (end <= start) return NONE
      const secret = text.slice(start, end)
      return tests.every((accepted) => accepted(secret)) ? [{ start, end }] : NONE
    },
  }
}

/** Puts the parts that a pattern names by number (from 1) or by name in their place. */
function filled(text: string, parts: readonly string[] | Readonly<Record<string, string>>): string {
  return text.replace(/\{\{(\w+)\}\}/g, (mark, name: string) => {
    const part = Array.isArray(parts)
      ? parts[Number(name) - 1]
      : (parts as Readonly<Record<string, string>>)[name]
    return part ?? mark
  })
}

/** Returns the keywords that a keyword with classes of signs stands for. */
function spelledOut(keyword: string): readonly string[] {
  const [whole, before = '', signs = '', after = ''] = /^(.*?)\[(.+?)\](.*)$/.exec(keyword) ?? []
  return whole === undefined
    ? [keyword]
    : [...signs].flatMap((sign) => spelledOut(`${before}${sign}${after}`))
}

function testOf(condition: string): (secret: string) => boolean {
  if (condition.startsWith('!')) {
    const test = testOf(condition.slice(1))
    return (secret) => !test(secret)
  }
  if (condition.startsWith('/')) {
    const shape = new RegExp(condition.slice(1, -1))
    return (secret) => shape.test(secret)
  }
  const test = TESTS[condition]
  if (test === undefined) throw new Error(`No test of secrets is called ${condition}`)
  return test
}

/** Returns where the row of signs before a keyword begins. */
function backFrom(text: string, at: number, sign: RegExp, most: number): number {
  let start = at
  while (start > 0 && at - start < most && sign.test(text.charAt(start - 1))) start--
  return start
}

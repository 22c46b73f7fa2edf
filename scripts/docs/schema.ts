import type { JsonSchema } from '../../src/adapters/project/spelling.ts'

const asCode = (value: unknown) => `\`${JSON.stringify(value)}\``

/** A schema as a reader of documentation names it: `text`, `list of numbers`, `"a" | "b"`. */
export function typeOf(schema: JsonSchema): string {
  if (schema.enum) return schema.enum.map(asCode).join(' \\| ')
  if ('const' in schema) return asCode(schema.const)
  if (schema.anyOf) return schema.anyOf.map(typeOf).join(' or ')
  const { type, items, additionalProperties } = schema
  switch (type) {
    case 'string':
      return schema.format === 'uri' ? 'URL' : 'text'
    case 'integer':
      return 'whole number'
    case 'array':
      return `list of ${items === undefined ? 'anything' : typeOf(items)}`
    case 'object':
      return typeof additionalProperties === 'object' ? `record of ${typeOf(additionalProperties)}` : 'object'
    default:
      return typeof type === 'string' ? type : 'anything'
  }
}

/** What a schema says of itself, with the name it had before; the old one is still understood. */
export function meaningOf({ description = '', formerly }: JsonSchema): string {
  return [description, formerly && `(formerly \`${formerly}\`)`].filter(Boolean).join(' ')
}

/** `0 to 1`, `at least 16`; empty without limits. */
export function rangeOf(schema: JsonSchema): string {
  const { minimum, maximum, exclusiveMinimum, minLength, maxLength, maxItems } = schema
  const above = exclusiveMinimum === undefined ? undefined : `above ${exclusiveMinimum}`
  const highest = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  const lowest = minimum === Number.MIN_SAFE_INTEGER ? undefined : minimum
  if (lowest !== undefined && highest !== undefined) return `${lowest} to ${highest}`
  return [
    above ?? (lowest === undefined ? undefined : `at least ${lowest}`),
    highest === undefined ? undefined : `at most ${highest}`,
    minLength === undefined || maxLength === undefined
      ? undefined
      : `${minLength} to ${maxLength} characters`,
    minLength !== undefined || maxLength === undefined ? undefined : `at most ${maxLength} characters`,
    maxItems === undefined ? undefined : `at most ${maxItems} items`,
  ]
    .filter((each) => each !== undefined)
    .join(', ')
}

/** A table in Markdown; nothing when it would be empty. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const line = (cells: readonly string[]) =>
    `| ${cells.map((cell) => cell.replaceAll('\n', ' ')).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)]
}

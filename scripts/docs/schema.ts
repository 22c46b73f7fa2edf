import type { JsonSchema } from '../../src/adapters/project/spelling.ts'

export { rangeOf } from '../../src/adapters/project/settings/settings-in-force.ts'

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

/** A table in Markdown; nothing when it would be empty. */
export function markdownTable(head: readonly string[], rows: readonly (readonly string[])[]): string[] {
  if (rows.length === 0) return []
  const textOf = (cell: string) => cell.replaceAll('\n', ' ').replaceAll(/(?<!\\)\|/g, '\\|')
  const line = (cells: readonly string[]) => `| ${cells.map(textOf).join(' | ')} |`
  return [line(head), `|${head.map(() => '---').join('|')}|`, ...rows.map(line)]
}

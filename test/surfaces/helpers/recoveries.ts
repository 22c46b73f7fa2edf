import { join } from 'node:path'
import type { Node } from 'oxc-parser'
import { readSources, walk } from '../../../scripts/counts/sources.ts'

/** A recovery as the source has it, and the file that it stands in. */
interface Recovery {
  readonly file: string
  readonly text: string
}

/** The texts that a value in the source can be; what is put in is a word of its own. */
function textsOf(node: Node | null | undefined): string[] {
  switch (node?.type) {
    case 'Literal':
      return typeof node.value === 'string' ? [node.value] : []
    case 'TemplateLiteral':
      return [node.quasis.map(({ value }) => value.cooked).join('<word>')]
    case 'ConditionalExpression':
      return [...textsOf(node.consequent), ...textsOf(node.alternate)]
    case 'LogicalExpression':
      return [...textsOf(node.left), ...textsOf(node.right)]
    default:
      return []
  }
}

/** Every recovery in the source, and what stands in one. */
export const recoveries: readonly Recovery[] = readSources(join(import.meta.dirname, '../../../src')).flatMap(
  ({ file, program }) => {
    const found: Recovery[] = []
    walk(program, (node) => {
      if (node.type !== 'Property' || node.key.type !== 'Identifier') return
      if (!['recovery', 'otherwise'].includes(node.key.name)) return
      for (const text of textsOf(node.value)) found.push({ file, text })
    })
    return found
  },
)

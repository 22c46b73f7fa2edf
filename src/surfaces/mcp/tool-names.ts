import { snakeCase } from '../../adapters/project/spelling.ts'

/** Returns the name of the tool that calls an operation. */
export function toolName(operation: string): string {
  return `elfmem_${snakeCase(operation)}`
}

/** Our own prose with names as a client knows them: `blockIds` is `block_ids` there. Paths stay as they are. */
export function inSnakeCase(prose: string): string {
  return prose.replace(/(?<![\w./\\-])[a-z]+(?:[A-Z][a-z]*)+(?![\w/\\-])/g, snakeCase)
}

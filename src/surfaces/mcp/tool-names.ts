import { snakeCase } from '../../adapters/project/spelling.ts'
import { operationNames } from '../../operations/load.ts'

const names: ReadonlySet<string> = new Set(operationNames)

/** A program opens a memory; an owner starts a server. */
const OPENED_ANEW = 'open it with { anew: true }'
const STARTED_ANEW = 'the owner starts the server with --new'

/** Returns the name of the tool that calls an operation. */
export function toolName(operation: string): string {
  return `elfmem_${snakeCase(operation)}`
}

/** Returns our own prose in the words of a caller of tools: `undo({ … })` is `elfmem_undo({ … })` there. */
export function asTools(prose: string): string {
  const calls = prose.replace(/(?<![\w.])([a-z][A-Za-z]*)(?=\(\{)/g, (name) =>
    names.has(name) ? toolName(name) : name,
  )
  return inSnakeCase(calls).replace(OPENED_ANEW, STARTED_ANEW)
}

/** Our own prose with names as a client knows them: `blockIds` is `block_ids` there. Paths stay as they are. */
export function inSnakeCase(prose: string): string {
  return prose.replace(/(?<![\w./\\-])[a-z]+(?:[A-Z][a-z]*)+(?![\w/\\-])/g, (name) =>
    names.has(name) ? toolName(name) : snakeCase(name),
  )
}

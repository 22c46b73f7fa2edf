import { NOTICES } from '../opening/open-memory.ts'
import type { Operation } from '../operations/operation.ts'
import { harmless } from '../operations/wording.ts'

/** The text of an answer, with what it says about the memory as a whole where the text leaves its summary out. */
export function rendered(operation: Operation, output: unknown): string {
  const text = operation.render(output)
  const notices = (output as { readonly [NOTICES]?: readonly string[] })[NOTICES] ?? []
  const untold = notices.map(harmless).filter((notice) => !text.includes(notice))
  return [text, ...untold].join('\n\n')
}

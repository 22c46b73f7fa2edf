import { NOTICES } from '../engine/open-memory.ts'
import type { Operation } from '../operations/operation.ts'
import { harmless } from '../operations/wording.ts'

/** Returns our own prose with the calls and names of the library as a surface has them. */
export type Prose = (text: string) => string

/** Fields of answers, and of refusals in them, that hold our own sentences. */
const SENTENCES = ['summary', 'hint', 'warning', 'suggestion', 'message', 'recovery']

/** Matches calls and names of several words, which surfaces spell differently. */
const SPELLED = /[a-z](?:\(|[A-Z])/

/**
 * Returns the text of an answer in the words of a surface. Remembered words stay as they are.
 *
 * @param prose called only for sentences that the surface spells differently
 */
export async function answerText(
  operation: Operation,
  output: unknown,
  prose: (text: string) => Promise<string>,
): Promise<string> {
  const rendered = operation.render(output)
  const notices = (output as { readonly [NOTICES]?: readonly string[] })[NOTICES] ?? []
  const missing = notices.map(harmless).filter((notice) => !rendered.includes(notice))
  let text = [rendered, ...missing].join('\n\n')
  if (operation.isOwnProse === true) return prose(text)
  const { errors } = Object(output) as { readonly errors?: unknown }
  for (const part of [output, ...(Array.isArray(errors) ? errors : [])])
    for (const field of SENTENCES) {
      const said = (Object(part) as Readonly<Record<string, unknown>>)[field]
      if (typeof said === 'string' && SPELLED.test(said)) text = text.split(said).join(await prose(said))
    }
  return text
}

/** Returns the fields of an answer with our own sentences in the words of a surface, in lists of refusals, too. */
export async function saidFields(
  fields: Readonly<Record<string, unknown>>,
  prose: (text: string) => Promise<string>,
): Promise<Record<string, unknown>> {
  const said: Record<string, unknown> = { ...fields }
  for (const field of SENTENCES) {
    const text = said[field]
    if (typeof text === 'string' && SPELLED.test(text)) said[field] = await prose(text)
  }
  const { errors } = fields
  if (Array.isArray(errors)) said.errors = await Promise.all(errors.map((each) => saidFields(each, prose)))
  return said
}

/** Returns the cursor that leads on from a page of a list; undefined where the list ends. */
export function cursorOf({ page }: Operation, output: unknown): string | undefined {
  const { cursor } = Object(output) as { readonly cursor?: string | number }
  return page === undefined || cursor === undefined ? undefined : String(cursor)
}

/** Rewrites a text but not its quotations. */
export function outsideQuotes(text: string, rewrite: Prose): string {
  return text.replace(/"[^"]*"|[^"]+/g, (part) => (part.startsWith('"') ? part : rewrite(part)))
}

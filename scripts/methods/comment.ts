import * as z from 'zod'
import type { JsonSchema } from '../../src/adapters/project/spelling.ts'
import { rangeOf } from '../docs/schema.ts'
import type { Direction } from './type-text.ts'

/** Each line two columns to the right. */
export const indented = (text: string) => text.replaceAll(/^(?=.)/gm, '  ')

/** A doc comment of paragraphs; nothing without any. */
export function commentOf(paragraphs: readonly string[]): string {
  const told = paragraphs.filter((each) => each !== '')
  const lines = told.flatMap((each, at) => [...(at === 0 ? [] : ['']), ...each.split('\n')])
  if (lines.length === 0) return ''
  const safe = lines.map((line) => line.replaceAll('*/', '*\\/'))
  if (safe.length === 1) return `/** ${safe[0]} */\n`
  return `/**\n${safe.map((line) => ` * ${line}`.trimEnd()).join('\n')}\n */\n`
}

/** The side of a call that a field stands on, and what else is said of it. */
interface FieldNote {
  readonly direction: Direction
  readonly note: string | undefined
}

/** Says of a field what its schema does: its meaning, its limits, its default, and who may pass it. Empty if that is nothing. */
export function fieldWords(schema: z.core.$ZodType, { direction, note = '' }: FieldNote): string {
  const json = z.toJSONSchema(schema as z.ZodType, { io: direction, unrepresentable: 'any' }) as JsonSchema
  const range = direction === 'input' ? rangeOf(json) : ''
  const sentences = [
    asSentence(json.description ?? ''),
    range === '' ? '' : `Limits: ${range}.`,
    json.default === undefined ? '' : `Default: \`${JSON.stringify(json.default)}\`.`,
    note,
  ]
  return sentences.filter(Boolean).join(' ')
}

/** With a stop; a description may begin with a value, which stays as it is. */
function asSentence(text: string): string {
  return text === '' || /[.…!?]$/.test(text) ? text : `${text}.`
}

import * as z from 'zod'
import type { JsonSchema } from '../../src/adapters/project/spelling.ts'
import { rangeOf } from '../docs/schema.ts'
import type { Direction } from './type-text.ts'

/** Returns a text with each line two columns to the right. */
export const indented = (text: string) => text.replaceAll(/^(?=.)/gm, '  ')

/** Returns a doc comment of paragraphs; an empty text if there are none. */
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

/** Says in words what the schema of a field means: its meaning, limits, default, and who may pass it. May be empty. */
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

/** Returns a text with a full stop at its end. */
function asSentence(text: string): string {
  return text === '' || /[.…!?]$/.test(text) ? text : `${text}.`
}

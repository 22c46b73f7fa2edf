import * as z from 'zod'
import { count } from '../../block/text.ts'
import type { CheckOutcome } from '../../care/checks.ts'
import { type DoctorResult, doctor as run } from '../../care/doctor.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { sentences } from '../wording.ts'

const MARKS: Readonly<Record<CheckOutcome, string>> = { ok: '✓', warn: '!', fail: '✗', skipped: '–' }

/** Returns one check for each part, with a recovery; the embedder and the model are asked only with `resolve`. */
export const doctor = defineScopedOperation({
  name: 'doctor',
  summary: 'Check what the memory needs to work, one thing after the other.',
  guide: {
    when: 'Something does not work as it should, after a change of settings, or in a script: the command exits with 1 when a check fails.',
    whenNot: 'To know what the memory wants next use status(), which is shorter.',
    next: 'Follow the recovery of each check that is not ok. Use fix to repair, and resolve if embedder or model are in doubt.',
    example: 'const { outcome, checks } = await memory.doctor({ resolve: true })',
  },
  tools: 'all',
  needs: 'agent',
  effect: 'write',
  cost: 'embedding',
  idempotent: true,
  input: z.object({
    resolve: z.boolean().default(false).describe('Also ask the embedder and the language model once each'),
    fix: z
      .boolean()
      .default(false)
      .describe('First repair what is safe: rows without a block, modes of files'),
  }),
  output: z.object({
    outcome: z.enum(['ok', 'warn', 'fail']).describe('The worst of the checks'),
    checks: z
      .array(
        z.object({
          name: z.string(),
          title: z.string().describe('The name in words'),
          outcome: z.enum(['ok', 'warn', 'fail', 'skipped']),
          message: z.string(),
          recovery: z.string().optional().describe('The remedy'),
          fixable: z.literal('fix').optional().describe('The argument of doctor that mends it'),
          seconds: z.number().optional(),
        }),
      )
      .readonly(),
    tokens: z.int().describe('Tokens of language models used by this call'),
    summary: schemas.summary,
  }),
  run: async (engine, input, context) => {
    const result = await run(engine, input, context)
    return {
      ...result,
      checks: result.checks.map(({ waits: _, ...check }) => check),
      summary: summaryOf(result, input.resolve),
    }
  },
  render: ({ checks, summary }) =>
    [
      ...checks.flatMap(({ name, outcome, message, recovery, seconds }) => [
        `${MARKS[outcome]} ${name.padEnd(10)}  ${message}${seconds === undefined ? '' : ` (${Math.round(seconds * 1000)} ms)`}`,
        ...(recovery === undefined ? [] : [`  ${''.padEnd(10)}  → ${recovery}`]),
      ]),
      summary,
    ].join('\n'),
  failed: ({ outcome }) => outcome === 'fail',
})

function summaryOf({ checks, tokens }: DoctorResult, resolve: boolean): string {
  const named = (outcome: CheckOutcome) =>
    checks.filter((check) => check.outcome === outcome).map(({ name }) => name)
  const [fails, warns] = [named('fail'), named('warn')]
  return sentences(
    fails.length + warns.length === 0
      ? `${count(checks.length - named('skipped').length, 'check')}: all well.`
      : `${count(checks.length, 'check')}:`,
    fails.length > 0 && `${fails.join(', ')} failed${warns.length > 0 ? ',' : '.'}`,
    warns.length > 0 && `${warns.join(', ')} ${warns.length === 1 ? 'wants' : 'want'} attention.`,
    resolve ? tokens > 0 && `${tokens} tokens used.` : 'Embedder and model were not asked (resolve).',
  )
}

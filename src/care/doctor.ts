import { llmTokens, UsageMeter } from '../engine/counts.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { mutate, noteTrouble } from '../engine/mutate.ts'
import { ElfmemError } from '../errors.ts'
import { checkAnswer, checkEmbedding } from './ask.ts'
import {
  CHECKS_OF_FACTS,
  type Check,
  type CheckOutcome,
  checksOf,
  type Finding,
  fail,
  ok,
  skipped,
} from './checks.ts'
import { readFacts } from './facts.ts'
import { checkFiles, repairsDue, repairWords } from './file-checks.ts'
import type { KeptSecrets } from './kept-secrets.ts'

/** The checks in the order in which they were made, and how the worst of them ended. */
export interface DoctorResult {
  readonly checks: readonly Check[]
  /** The worst of them; `ok` when nothing is wrong. */
  readonly outcome: Exclude<CheckOutcome, 'skipped'>
  /** Of language models, used by this call. */
  readonly tokens: number
  /** Where secrets are kept, if they were looked for. */
  readonly kept?: KeptSecrets
}

/** The options of a call of doctor. */
interface Asked {
  readonly resolve: boolean
  readonly fix: boolean
  readonly secrets: boolean
}

/**
 * Looks at all that has to work, and goes on where something does not. Without `resolve` it asks the store alone and
 * writes nothing; with it the embedder and the model are asked once each, which is logged with what it used. With `fix`
 * it first repairs what can be made again from the rest, and logs what it repaired. With `secrets` it looks through all
 * that is kept for what looks like a secret.
 */
export async function doctor(
  engine: Engine,
  { resolve, fix, secrets }: Asked,
  given: CallContext,
): Promise<DoctorResult> {
  const looked: Check[] = []
  const done: { tokens: number; kept?: KeptSecrets } = { tokens: 0 }
  try {
    const repairs = fix ? [{ name: 'fix', title: 'Repairs', ...(await mend(engine, given)) }] : []
    looked.push(...(await checkFiles(engine, { full: resolve || fix, signal: given.signal })), ...repairs)
    const facts = await engine.store.read((tx) => readFacts(engine, tx))
    const { active, inbox, archived } = facts.counts
    const found = ok(`It answers: ${active} active blocks, ${inbox} waiting, ${archived} archived.`)
    looked.unshift({ ...STORE, ...found })
    if (secrets) {
      const { checkSecrets, keptSecrets } = await import('./kept-secrets.ts')
      done.kept = await keptSecrets(engine, given)
      looked.push(checkSecrets(done.kept))
    }
    if (!resolve) return resultOf([...looked, ...checksOf(CHECKS_OF_FACTS, facts, engine)], done)
    const meter = given.meter ?? new UsageMeter()
    const context = { ...given, meter }
    const embedding = await checkEmbedding(engine, context, facts)
    const answer = await checkAnswer(engine, context, { ...facts, meter })
    await note(engine, context, [embedding, answer])
    done.tokens = llmTokens(meter.total)
    // The answer is newer than what the model said last.
    const now = answer.outcome === 'skipped' ? facts : { ...facts, lastTrouble: undefined }
    return resultOf([...looked, ...checksOf(CHECKS_OF_FACTS, now, engine), embedding, answer], done)
  } catch (error) {
    if (!ElfmemError.is(error) || error.code === 'CANCELLED') throw error
    return resultOf([{ ...STORE, ...fail(error.message, error.recovery) }, ...looked], done)
  }
}

const STORE = { name: 'store', title: 'The store answers' }

/** Repairs what is safe to repair: nothing that a damaged file would be made worse by. */
async function mend(engine: Engine, context: CallContext): Promise<Finding> {
  const { files } = engine.store
  if (files === undefined) return skipped('There is no file of its own to repair here.')
  const found = await files.look({ full: true, signal: context.signal })
  if (found.damage.length > 0) return skipped('A damaged file is left as it is: restore a backup.')
  const due = repairsDue(found)
  const did = repairWords(await files.mend({ rows: due.has('orphans'), dropPacked: false }))
  if (did === '') return ok('There was nothing to repair.')
  await mutate(engine, context, ({ log }) =>
    log({ operation: 'doctor', blockIds: [], summary: `repaired: ${did}` }),
  )
  return ok(`Repaired: ${did}.`)
}

/** Writes down what was used and whether the model answers, for status. */
async function note(
  engine: Engine,
  context: CallContext,
  [embedding, answer]: readonly [embedding: Check, answer: Check],
): Promise<void> {
  await mutate(
    engine,
    context,
    async ({ tx, moment, log, used }) => {
      if (answer.outcome !== 'skipped')
        await noteTrouble(
          tx,
          answer.outcome === 'ok'
            ? undefined
            : { at: moment.at, message: answer.message, recovery: answer.recovery ?? '' },
        )
      await log({
        operation: 'doctor',
        blockIds: [],
        summary: `embedder: ${embedding.outcome}, language model: ${answer.outcome}`,
        ...used,
      })
    },
    { undoable: false },
  )
}

function resultOf(checks: readonly Check[], done: Pick<DoctorResult, 'tokens' | 'kept'>): DoctorResult {
  const outcome = (['fail', 'warn'] as const).find((bad) => checks.some((check) => check.outcome === bad))
  return { checks, outcome: outcome ?? 'ok', ...done }
}

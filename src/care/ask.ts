import { readJson } from '../block/read-json.ts'
import { estimateTokens, preview } from '../block/text.ts'
import { stripInvisible } from '../block/visible.ts'
import type { UsageMeter } from '../engine/counts.ts'
import { embedContents, embedOptionsOf, nameOf } from '../engine/embedding.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import type { LanguageModel, ModelAnswer, ModelRequest } from '../engine/ports.ts'
import { ElfmemError } from '../errors.ts'
import { cosine } from '../index/cosine.ts'
import { readPage } from '../store/blocks.ts'
import { readVectors } from '../store/vectors.ts'
import { budgetLeft, type Check, type Finding, fail, ok, skipped } from './checks.ts'
import type { Facts } from './facts.ts'

/** Least cosine of two vectors of one text by one model: what differs is the rounding of what is stored. */
const SAME_VECTOR = 0.98

/**
 * Embeds two texts: one that is new, and the oldest active block, whose vector must be the stored one. So another model
 * under the same name is noticed.
 */
export async function checkEmbedding(
  engine: Engine,
  context: CallContext,
  { lock }: Pick<Facts, 'lock'>,
): Promise<Check> {
  const { embedder, ids } = engine
  const known = await knownVector(engine)
  const texts = [`Is anybody there? ${ids.random()}`, ...(known ? [known.content] : [])]
  return asked(engine, context, { name: 'embedding', title: 'The embedder answers' }, async () => {
    const [fresh, again] = await embedContents(embedder, texts, embedOptionsOf(context))
    const dimensions = fresh?.vector.length ?? 0
    const given = `${embedder.model} gives vectors of ${dimensions} dimensions`
    if (lock && dimensions !== lock.dimensions)
      return fail(
        `${given}; those stored are of ${nameOf(lock)}.`,
        'Configure the model of before, or call reembed() to change all vectors.',
      )
    if (known && again && lock?.model === embedder.model && cosine(again.vector, known.vector) < SAME_VECTOR)
      return fail(
        `${embedder.model} gives another vector for a known text than the one stored: it is another model under the same name.`,
        'Configure the model of before, or give the new one its own name and call reembed().',
      )
    return ok(`${given}.`)
  })
}

async function knownVector({
  store,
}: Engine): Promise<{ readonly content: string; readonly vector: Float32Array } | undefined> {
  return store.read(async (tx) => {
    const [block] = (await readPage(tx, { status: 'active', order: 'arrival', limit: 1 })).blocks
    const vectors = block && (await readVectors(tx, [block.id])).get(block.id)
    return block && vectors ? { content: block.content, vector: vectors.vector } : undefined
  })
}

/** A question with a schema, as judgements have one, and as long an answer: some models think before they answer. */
const PROBE: Omit<ModelRequest, 'maxOutputTokens'> = {
  system:
    'A program checks whether you can be asked. Answer with the JSON object {"ok": true} and nothing else.',
  prompt: 'Is anybody there?',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['ok'],
    properties: { ok: { type: 'boolean' } },
  },
  schemaName: 'health_check',
}

/** Asks the model one tiny question, whose cost goes to the meter even when nothing comes back. */
export async function checkAnswer(
  engine: Engine,
  context: CallContext,
  { today, meter }: Pick<Facts, 'today'> & { readonly meter: UsageMeter },
): Promise<Check> {
  const check = { name: 'answer', title: 'The language model answers' }
  const { languageModel: model, settings } = engine
  if (model === undefined) return { ...check, ...skipped('No language model is configured.') }
  if (budgetLeft(settings.llm.tokensPerDay, today) === 0)
    return { ...check, ...skipped('Not asked: the tokens of today are used up.') }
  return asked(engine, context, check, async () => {
    meter.add({ llmCalls: 1 })
    const answer = await model.ask(
      { ...PROBE, maxOutputTokens: settings.llm.maxOutputTokens },
      context.signal ? { signal: context.signal } : {},
    )
    meter.add({
      llmInputTokens: answer.usage.inputTokens ?? estimateTokens(PROBE.system + PROBE.prompt),
      llmOutputTokens: answer.usage.outputTokens ?? estimateTokens(answer.text),
    })
    return judged(model, answer)
  })
}

function judged({ model }: LanguageModel, { text, truncated }: ModelAnswer): Finding {
  const read = readJson(text)?.value as { readonly ok?: unknown } | undefined
  if (typeof read?.ok === 'boolean') return ok(`${model} answers in JSON.`)
  if (truncated)
    return fail(
      `${model} answers, but the answer was cut off before its JSON was whole.`,
      'Raise llm.max_output_tokens, or configure a model that thinks less.',
    )
  return fail(
    `${model} answers, but not with the JSON it was asked for: "${preview(stripInvisible(text).text, 80)}"`,
    'Configure a model that can answer in JSON; small local models often need the JSON mode of their server.',
  )
}

/** Times a question to something outside and turns its failure into a finding; a cancelled call is none. */
async function asked(
  { clock }: Engine,
  { signal }: CallContext,
  check: Pick<Check, 'name' | 'title'>,
  ask: () => Promise<Finding>,
): Promise<Check> {
  const started = clock.now()
  try {
    return { ...check, ...(await ask()), seconds: (clock.now() - started) / 1000 }
  } catch (error) {
    if (signal?.aborted) throw error
    if (ElfmemError.is(error)) return { ...check, ...fail(error.message, error.recovery) }
    const said = error instanceof Error ? error.message : String(error)
    return {
      ...check,
      ...fail(`It failed: ${said}`, 'Check the settings with elfmem config, then try again.'),
    }
  }
}

import { stripInvisible } from '../../domain/safety/visible.ts'
import { cosine } from '../../domain/score/vector.ts'
import { readJson } from '../../domain/text/read-json.ts'
import { estimateTokens, preview } from '../../domain/text/text.ts'
import { ElfmemError, factOf } from '../../errors.ts'
import type { LanguageModel, ModelAnswer, ModelRequest } from '../../ports/language-model.ts'
import { embedContents, embedOptionsOf, nameOf } from '../engine/embedding.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import type { UsageMeter } from '../engine/usage.ts'
import { budgetLeft } from './at-rest.ts'
import { type Check, type CheckName, ok, skipped, trouble } from './check.ts'
import type { Facts } from './facts.ts'

/** The same text by the same model: what differs is the rounding of what is stored. */
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
  const name = 'embedding'
  const { embedder, clock, ids } = engine
  const known = await knownVector(engine)
  const texts = [`Is anybody there? ${ids.random()}`, ...(known ? [known.content] : [])]
  const started = clock.now()
  try {
    const [fresh, again] = await embedContents(embedder, texts, embedOptionsOf(context))
    const seconds = (clock.now() - started) / 1000
    const dimensions = fresh?.vector.length ?? 0
    if (lock && dimensions !== lock.dimensions)
      return {
        ...trouble(
          'fail',
          name,
          `${embedder.model} gives vectors of ${dimensions} dimensions; those stored are of ${nameOf(lock)}.`,
          'Configure the model of before, or call reembed() to change all vectors.',
        ),
        seconds,
      }
    if (known && again && lock?.model === embedder.model && cosine(again.vector, known.vector) < SAME_VECTOR)
      return {
        ...trouble(
          'fail',
          name,
          `${embedder.model} gives another vector for a known text than the one stored: it is another model under the same name.`,
          'Configure the model of before, or give the new one its own name and call reembed().',
        ),
        seconds,
      }
    return { ...ok(name, `${embedder.model} gives vectors of ${dimensions} dimensions.`), seconds }
  } catch (error) {
    return failed(name, error, context)
  }
}

async function knownVector({
  store,
}: Engine): Promise<{ readonly content: string; readonly vector: Float32Array } | undefined> {
  return store.read(async (tx) => {
    const [block] = (await tx.page({ status: 'active', order: 'arrival', limit: 1 })).blocks
    const vectors = block && (await tx.vectors([block.id])).get(block.id)
    return block && vectors ? { content: block.content, vector: vectors.vector } : undefined
  })
}

/** The schema is held to as for a judgement, and so is the length an answer may have: some models think before they answer. */
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
  const name = 'answer'
  const { languageModel: model, settings, clock } = engine
  if (model === undefined) return skipped(name, 'No language model is configured.')
  if (budgetLeft(settings.llm.tokensPerDay, today) === 0)
    return skipped(name, 'Not asked: the tokens of today are used up.')
  const started = clock.now()
  try {
    const answer = await model.ask(
      { ...PROBE, maxOutputTokens: settings.llm.maxOutputTokens },
      signalOf(context),
    )
    const seconds = (clock.now() - started) / 1000
    const used = {
      llmCalls: 1,
      llmInputTokens: answer.usage.inputTokens ?? estimateTokens(PROBE.system + PROBE.prompt),
      llmOutputTokens: answer.usage.outputTokens ?? estimateTokens(answer.text),
    }
    meter.add(used)
    return { ...judged(name, model, answer), seconds }
  } catch (error) {
    meter.add({ llmCalls: 1 })
    return failed(name, error, context)
  }
}

function judged(name: CheckName, { model }: LanguageModel, { text, truncated }: ModelAnswer): Check {
  const read = readJson(text)?.value as { readonly ok?: unknown } | undefined
  if (typeof read?.ok === 'boolean') return ok(name, `${model} answers in JSON.`)
  if (truncated)
    return trouble(
      'fail',
      name,
      `${model} answers, but the answer was cut off before its JSON was whole.`,
      'Raise llm.max_output_tokens, or configure a model that thinks less.',
    )
  return trouble(
    'fail',
    name,
    `${model} answers, but not with the JSON it was asked for: "${preview(stripInvisible(text).text, 80)}"`,
    'Configure a model that can answer in JSON; small local models often need the JSON mode of their server.',
  )
}

/** The meaning of each kind of failure (`details.kind`), put before the endpoint's own message. */
const KINDS: Readonly<Record<string, string>> = {
  key: 'The key is missing or refused.',
  model: 'The endpoint does not know the model, or not what was asked of it.',
  host: 'The address is wrong, or nobody listens there.',
  timeout: 'The answer took too long.',
  rate: 'The account has reached its limit.',
  server: 'The endpoint has a problem of its own.',
  request: 'The endpoint refuses the question.',
  answer: 'The endpoint answered something that cannot be read.',
}

/** A cancelled call is no finding. */
function failed(name: CheckName, error: unknown, { signal }: CallContext): Check {
  if (signal?.aborted) throw error
  if (!ElfmemError.is(error))
    return trouble(
      'fail',
      name,
      `It failed: ${error instanceof Error ? error.message : String(error)}`,
      'Check the settings with elfmem config, then try again.',
    )
  const kind = KINDS[String(factOf(error, 'kind'))]
  return trouble(
    'fail',
    name,
    kind === undefined ? error.message : `${kind} ${error.message}`,
    error.recovery,
  )
}

function signalOf({ signal }: CallContext): { readonly signal?: AbortSignal } {
  return signal ? { signal } : {}
}

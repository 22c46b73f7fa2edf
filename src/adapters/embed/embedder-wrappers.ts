import { defined } from '../../block/text.ts'
import type { Embedder } from '../../engine/ports.ts'

type Identity = Pick<Embedder, 'model' | 'dimensions' | 'remote' | 'scripts'>

/** The built-in model was trained on English and knows no other script than Latin. */
export const MINILM_SCRIPTS: readonly string[] = ['Latin']

/** An embedder whose code is loaded by the first text, or by `warm`. What it is called is known before. */
export function lateEmbedder(
  { model, dimensions, remote = false, scripts }: Identity,
  load: () => Promise<Embedder>,
): Embedder {
  let loading: Promise<Embedder> | undefined
  let loaded: Embedder | undefined
  const ready = async () => {
    loading ??= load()
    loaded = await loading
    return loaded
  }
  return {
    model,
    remote,
    ...defined({ scripts }),
    get dimensions() {
      return loaded?.dimensions ?? dimensions
    },
    embed: async (texts, options) => (texts.length === 0 ? [] : (await ready()).embed(texts, options)),
    warm: () =>
      void ready().then(
        (embedder) => embedder.warm?.(),
        () => undefined,
      ),
    close: async () => {
      if (loading) await (await loading).close()
    },
  }
}

/** Returns an embedder with some functions of its own. It does the rest as the given one, whose name may change. */
export function wrapped(embedder: Embedder, own: Partial<Pick<Embedder, 'embed' | 'close'>>): Embedder {
  return {
    ...defined({ remote: embedder.remote, scripts: embedder.scripts }),
    get model() {
      return embedder.model
    },
    get dimensions() {
      return embedder.dimensions
    },
    embed: (texts, options) => embedder.embed(texts, options),
    warm: () => embedder.warm?.(),
    close: () => embedder.close(),
    ...own,
  }
}

/** Single texts whose vectors are kept: 256 of 384 components take about 0.5 MB. */
const CACHED_QUERIES = 256

/**
 * The embedder, with the vectors of the single texts asked for last at hand: an agent asks the same question again and
 * again. Lists go through; a text that was aborted, or comes after `close`, is not answered from here.
 */
export function cacheQueries(embedder: Embedder): Embedder {
  // The vector that was used last stands at the end.
  const queries = new Map<string, Float32Array>()
  const keep = (key: string, vector: Float32Array) => {
    queries.delete(key)
    queries.set(key, vector)
    const [oldest = key] = queries.keys()
    if (queries.size > CACHED_QUERIES) queries.delete(oldest)
  }
  let closed = false
  return wrapped(embedder, {
    async embed(texts, options) {
      const [text] = texts
      if (text === undefined || texts.length > 1) return embedder.embed(texts, options)
      const key = JSON.stringify([embedder.model, text])
      const known = closed || options?.signal?.aborted ? undefined : queries.get(key)
      if (known !== undefined) {
        keep(key, known)
        options?.progress?.(1)
        return [known.slice()]
      }
      const vectors = await embedder.embed(texts, options)
      if (vectors[0] !== undefined) keep(key, vectors[0].slice())
      return vectors
    },
    close: () => {
      closed = true
      return embedder.close()
    },
  })
}

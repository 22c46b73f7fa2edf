import { Worker } from 'node:worker_threads'
import type { Chunk, Chunker } from '../../engine/ports.ts'
import { cutMarkdown } from './cut.ts'

const SCRIPT = new URL(
  import.meta.url.endsWith('.ts') ? './cut-worker.ts' : './cut-worker.js',
  import.meta.url,
)

/** A shorter text is cut in less time than a thread takes to start: some 50 ms. */
const WORTH_A_THREAD = 262_144

/** Cuts Markdown as `cutMarkdown`; a long text in a thread, so that others are answered meanwhile. */
export const markdownChunker: Chunker = {
  async chunks(text, maxTokens) {
    if (text.length < WORTH_A_THREAD) return cutMarkdown(text, maxTokens)
    // Where no thread can be had (a bundle without its file, no right to start one), the text must still be cut.
    return (await cutElsewhere({ text, maxTokens })) ?? cutMarkdown(text, maxTokens)
  },
}

/** The input of the thread. */
export interface Cutting {
  readonly text: string
  readonly maxTokens: number
}

/** Cuts a document in a thread. Returns nothing if no thread could start, or it ended without an answer. */
function cutElsewhere(cutting: Cutting): Promise<readonly Chunk[] | undefined> {
  const { promise, resolve } = Promise.withResolvers<readonly Chunk[] | undefined>()
  try {
    const thread = new Worker(SCRIPT, {
      workerData: cutting,
      // Not the flags of this process, some of which forbid a file to start from; and what it warns of was said here.
      execArgv: ['--disable-warning=ExperimentalWarning'],
      name: 'elfmem-chunker',
    })
    thread.on('message', resolve)
    // Its reason is met again where the text is cut instead.
    thread.on('error', () => undefined)
    thread.on('exit', () => resolve(undefined))
  } catch {
    resolve(undefined)
  }
  return promise
}

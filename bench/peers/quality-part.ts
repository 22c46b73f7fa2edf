import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { SharedEmbedder } from '../lib/shared-embedder.ts'
import { type Conversation, loadConversations } from '../locomo/loader.ts'
import { type Found, judge, type Means, meansOf } from '../locomo/metrics.ts'
import { askAll, rememberConversation } from '../locomo/ours.ts'
import type { Contender } from './contenders.ts'
import { writeCorpus } from './corpus.ts'
import { PeerDriver } from './driver.ts'
import type { Installed } from './install.ts'

/** What a contender finds of the evidence: means over all questions. */
export type PeerQuality = Means & { readonly questions: number }

export interface QualityPlan {
  readonly folder: string
  readonly conversations: readonly Conversation[]
  readonly embedder: SharedEmbedder
}

const TOP_K = 20
/** Nothing is left out for lack of time. */
const NO_HURRY = 100_000

/** The conversations of a file, each with at most so many of its questions, evenly chosen. */
export function chosenQuestions(path: string, most: number): readonly Conversation[] {
  return loadConversations(path).map(({ questions, ...conversation }) => {
    const step = Math.max(1, questions.length / most)
    const chosen = questions.filter((_, i) => Math.floor(i / step) !== Math.floor((i - 1) / step))
    return { ...conversation, questions: chosen.slice(0, most) }
  })
}

/** One memory a conversation, one text a turn, each question asked for its first 20. */
export async function measurePeerQuality(
  contender: Contender,
  installed: Extract<Installed, { command: string }>,
  { folder, conversations, embedder }: QualityPlan,
): Promise<PeerQuality> {
  const found: Found[] = []
  for (const conversation of conversations) {
    const place = join(folder, `${contender.key}-${conversation.id}`)
    mkdirSync(place, { recursive: true })
    const ranked =
      contender.key === 'elfmem'
        ? await askElfmem(place, conversation, embedder)
        : await askPeer(contender, installed, { place, conversation, embedder })
    conversation.questions.forEach(({ evidence }, i) => {
      found.push(judge(ranked[i] ?? [], evidence))
    })
  }
  return { ...meansOf(found), questions: found.length }
}

type Ranked = readonly (readonly (readonly string[])[])[]

/** As the locomo bench does it: speaker, session and time are arguments of `remember`. */
async function askElfmem(
  place: string,
  conversation: Conversation,
  embedder: SharedEmbedder,
): Promise<Ranked> {
  const kept = await rememberConversation(join(place, 'memory.db'), conversation, embedder)
  const answers = await askAll(kept, conversation, { embedder, topK: TOP_K })
  return answers.map(({ ranked }) => ranked)
}

/** The others know no speaker: it stands in their texts; without that they would find far less. */
async function askPeer(
  contender: Contender,
  installed: Extract<Installed, { command: string }>,
  {
    place,
    conversation: { turns, questions },
    embedder,
  }: { readonly place: string; readonly conversation: Conversation; readonly embedder: SharedEmbedder },
): Promise<Ranked> {
  const texts = turns.map(({ speaker, content }) => `${speaker}: ${content}`)
  const asked = questions.map(({ text }) => text)
  const vectors = await embedder.vectorsOf([...texts, ...asked])
  const dimensions = (vectors[0] as Float32Array).length
  const corpus = join(place, 'corpus')
  const folder = join(place, 'memory')
  mkdirSync(corpus)
  mkdirSync(folder)
  writeCorpus(corpus, { texts, questions: asked, dimensions, embedder: 'shipped', vectors })
  await using driver = new PeerDriver(contender, installed)
  await driver.ask<'open'>({ op: 'open', corpus, folder, packages: installed.packages })
  await driver.ask<'fill'>({ op: 'fill', from: 0, until: texts.length, seconds: NO_HURRY })
  const { found } = await driver.ask<'search'>({
    op: 'search',
    from: 0,
    until: asked.length,
    topK: TOP_K,
    seconds: NO_HURRY,
    effects: false,
  })
  await driver.ask<'close'>({ op: 'close' })
  return found.map((places) => places.map((at) => [(turns[at] as { readonly id: string }).id]))
}

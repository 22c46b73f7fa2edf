import type { Block } from '../../domain/block/block.ts'
import { WordTags } from '../../domain/block/word-tags.ts'
import { stemOf } from '../../search/language/choose.ts'
import type { Engine } from '../engine/engine.ts'

/** More different tags than these are not looked for in texts. */
const TAGS_MAX = 20_000

/** The tags that the memory knows, for one dream: each scope its own. */
export class TagsByWords {
  readonly #engine: Pick<Engine, 'settings' | 'store'>
  readonly #byScope = new Map<string | undefined, WordTags>()

  constructor(engine: Pick<Engine, 'settings' | 'store'>) {
    this.#engine = engine
  }

  /** Which tags each of the blocks deserves by its words and does not have. Reads the tags of a scope once. */
  async of(blocks: readonly Block[]): Promise<string[][]> {
    const { conflicts, memory } = this.#engine.settings
    if (!conflicts.wordTags || conflicts.wordTagsPerBlock === 0) return blocks.map(() => [])
    const given: string[][] = []
    for (const { content, tags, scope } of blocks) {
      const known = this.#byScope.get(scope) ?? (await this.#read(scope))
      const fresh = known.tagsOf(content).filter((tag) => !tags.includes(tag))
      given.push(fresh.slice(0, Math.max(0, memory.maxTags - tags.length)))
      known.add(tags)
    }
    return given
  }

  async #read(scope: string | undefined): Promise<WordTags> {
    const { store, settings } = this.#engine
    const { wordTagsPerBlock: most, wordTagLength: lengthLeast } = settings.conflicts
    const tags = await store.read((tx) => tx.tagsIn(scope, TAGS_MAX))
    const known = new WordTags(stemOf, { most, lengthLeast }).add(tags)
    this.#byScope.set(scope, known)
    return known
  }
}

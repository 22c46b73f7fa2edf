import type { Memory } from '../../engine/memory.ts'
import { fenced } from '../../frames/index.ts'
import { type Parts, ROOT } from './paths.ts'

/** The folder of the files that are made when they are viewed. */
const FOLDER = 'elfmem'
const SELF = 'self.md'
const SEARCH = 'search'
/** Shown in the folder of searches, so that a model knows what to ask for. */
const QUESTION = '<your question>.md'
/** The size they are said to have in a list: nobody knows it before. */
const BYTES = 4_096
/** Characters of a question in a path, which a path bounds anyway. */
const HOW = `To search all that is remembered, view ${ROOT}/${FOLDER}/${SEARCH}/${QUESTION}`

/** Files that nobody wrote: who the agent is, and what bears on a question. */
export interface VirtualFiles {
  /** True of a path in their folder, whether it is there or not. */
  readonly owns: (parts: Parts) => boolean
  /** Returns such a file, made now; undefined if there is none of that name. */
  readonly read: (parts: Parts) => Promise<string | undefined>
  /** The files among them that lists show. */
  readonly listed: readonly { readonly parts: Parts; readonly bytes: number }[]
}

/**
 * Returns the files by which a model finds identity and search without any other tool, since it looks at its files first.
 * Remembered text in them stands in a fence: it is no instruction.
 */
export function virtualFiles(memory: Pick<Memory, 'recall'>, scope: string | undefined): VirtualFiles {
  const recalled = async (request: Parameters<Memory['recall']>[0]) => {
    const context = { actor: 'anthropic' }
    const { text, blockIds } = await memory.recall(
      { ...request, ...(scope === undefined ? {} : { scope }) },
      context,
    )
    return fenced(text, blockIds)
  }
  return {
    owns: ([first]) => first === FOLDER,
    read: async ([, second, ...rest]) => {
      if (second === SELF && rest.length === 0)
        return [await recalled({ frame: 'self' }), HOW].filter(Boolean).join('\n\n')
      if (second !== SEARCH || !rest.at(-1)?.endsWith('.md')) return undefined
      const query = rest.join(' ').slice(0, -'.md'.length).replaceAll(/[-_]+/g, ' ').trim()
      return query === '' || query === QUESTION.slice(0, -'.md'.length)
        ? HOW
        : recalled({ query, frame: 'attention' })
    },
    listed: [[SELF], [SEARCH, QUESTION]].map((names) => ({ parts: [FOLDER, ...names], bytes: BYTES })),
  }
}

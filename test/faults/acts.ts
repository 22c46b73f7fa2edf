import type { Memory, ResolveResult } from '../../src/index.ts'

/** One thing a living agent does, as it says before it begins. */
export type Act =
  | { readonly does: 'rememberMany' | 'learnDocument'; readonly contents: readonly string[] }
  | { readonly does: 'remember'; readonly contents: readonly string[]; readonly supersedes?: string }
  | { readonly does: 'dream' | 'curate' | 'reembed' | 'open' }
  | { readonly does: 'outcome' | 'recordUse' | 'recall'; readonly ids: readonly string[] }
  | { readonly does: 'connect' | 'disconnect' | 'resolve'; readonly a: string; readonly b: string }
  | { readonly does: 'forget' | 'restore'; readonly id: string }
  | { readonly does: 'edit'; readonly id: string; readonly content: string }
  /** Takes the last edit of a block back, which had this content before. */
  | { readonly does: 'undo'; readonly id: string; readonly content: string }

/** A line of a living agent: what it begins, what was acknowledged, or what it was refused. */
export type Line =
  | { readonly begins: Act }
  | { readonly done: Act; readonly ids: readonly string[] }
  | { readonly refused: Act; readonly code: string }

/** Does it, and returns the ids the answer acknowledges. */
export async function perform(memory: Memory, act: Act): Promise<readonly string[]> {
  switch (act.does) {
    case 'remember':
      return [(await memory.remember(rememberOf(act))).blockId]
    case 'rememberMany': {
      const blocks = act.contents.map((content) => ({ content, tags: ['seen'] }))
      return (await memory.rememberMany({ blocks })).results.map(({ blockId }) => blockId)
    }
    case 'learnDocument': {
      const text = act.contents.map((content) => `## ${content}\n\n${content}`).join('\n\n')
      return (await memory.learnDocument({ text, source: 'notes', tags: ['seen'] })).blockIds
    }
    case 'dream':
      return (await memory.dream()).promotedIds
    case 'outcome':
      await memory.outcome({ helped: [...act.ids] })
      return act.ids
    default:
      return performSmall(memory, act)
  }
}

function rememberOf({ contents, supersedes }: Extract<Act, { readonly does: 'remember' }>) {
  const [content = ''] = contents
  return { content, tags: ['seen'], ...(supersedes === undefined ? {} : { supersedes }) }
}

async function performSmall(memory: Memory, act: Act): Promise<readonly string[]> {
  if (act.does === 'recordUse') await memory.recordUse({ blockIds: [...act.ids] })
  if (act.does === 'recall') await memory.recall({ query: 'what does the harbour keep?' })
  if (act.does === 'connect') return connected(memory, act)
  if (act.does === 'disconnect') await memory.disconnect({ source: act.a, target: act.b })
  if (act.does === 'resolve') return resolved(await memory.resolve({ a: act.a, b: act.b, keep: 'a' }))
  if (act.does === 'forget') await memory.forget({ blockId: act.id })
  if (act.does === 'restore') return [(await memory.restore({ blockId: act.id })).status]
  if (act.does === 'edit') return [(await memory.edit({ blockId: act.id, content: act.content })).blockId]
  if (act.does === 'undo') return undone(memory, act.id)
  if (act.does === 'curate') await memory.curate()
  if (act.does === 'reembed') await memory.reembed()
  return []
}

/** A connection that waits for room is no edge yet. */
async function connected(memory: Memory, { a, b }: { readonly a: string; readonly b: string }) {
  const { action } = await memory.connect({ source: a, target: b, relation: 'supports', ifExists: 'update' })
  return action === 'deferred' ? [] : [a, b]
}

/** What had lost its place to the archived one goes with it. */
function resolved({ archived, archivedBefore = [] }: ResolveResult): string[] {
  return archived === undefined ? [] : [archived, ...archivedBefore]
}

async function undone(memory: Memory, blockId: string): Promise<readonly string[]> {
  const [edit] = (await memory.history({ blockId, operation: 'edit', lastN: 1 })).operations
  return edit === undefined ? [] : (await memory.undo({ operationId: edit.id })).blockIds
}

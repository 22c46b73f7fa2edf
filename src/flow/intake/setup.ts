import { PRINCIPLES } from '../../config/principles.ts'
import { TEMPLATES } from '../../config/templates.ts'
import type { BlockStatus } from '../../domain/block/block.ts'
import { DEFAULT_CATEGORY } from '../../domain/block/category.ts'
import { CONSTITUTIONAL_TAG, normaliseTags } from '../../domain/block/tags.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { type DreamAdvice, dreamAdvice } from '../engine/dream-policy.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { mutate } from '../engine/mutate.ts'
import { checkContent } from '../guard/check-input.ts'
import { highestFor } from '../guard/claimed-class.ts'
import { isOwner } from '../guard/owner-only.ts'
import { admit, type Draft } from './admit.ts'
import { builtInFor } from './built-in.ts'

export interface SetupInput {
  /** Who the agent is, in its own words. */
  readonly identity?: string | undefined
  readonly values?: readonly string[] | undefined
  /** Adds the built-in principles whose role is free. */
  readonly seed: boolean
  readonly template?: keyof typeof TEMPLATES | undefined
  /** Principles of the caller's own. */
  readonly principles?: readonly string[] | undefined
}

export interface SetupResult extends DreamAdvice {
  readonly blocksCreated: number
  readonly totalAttempted: number
  /** Of the created blocks. */
  readonly blockIds: readonly string[]
}

const ROLE = 'self/role/'

/** Blocks with a role read at a time. */
const ROLES_READ = 1_000

/**
 * Writes who the agent is: the explicit trusted act that may write principles. Repeating it changes nothing: roles
 * that are taken and texts that are there are left out.
 */
export async function setup(engine: Engine, context: CallContext, input: SetupInput): Promise<SetupResult> {
  const drafts = draftsOf(engine, context, input)
  for (const { content } of drafts) checkContent(content, engine.settings.memory)
  const result = await mutate(engine, context, async (mutation) => {
    const { tx, log } = mutation
    const taken = input.seed ? await takenRoles(tx, engine) : new Set<string>()
    const builtIn = await builtInFor(engine, context, tx, input)
    const created: string[] = []
    for (const { isBuiltIn, ...draft } of drafts) {
      if (draft.tags.some((tag) => taken.has(tag))) continue
      const admitted = await admit(engine, mutation, draft)
      if (isBuiltIn) builtIn.mustBeFree(admitted.created || admitted.before !== undefined)
      if (admitted.created) created.push(admitted.block.id)
    }
    await log({
      operation: 'setup',
      blockIds: created,
      summary: `${created.length} of ${drafts.length} identity blocks are new`,
    })
    const advice = await dreamAdvice(tx, engine, await tx.waiting())
    return { blocksCreated: created.length, totalAttempted: drafts.length, blockIds: created, ...advice }
  })
  for (const id of result.blockIds) engine.session.noteLearned(id)
  return result
}

/** A draft, and whether its text is one of elfmem's own. */
interface SetupDraft extends Draft {
  readonly isBuiltIn: boolean
}

function draftsOf(engine: Engine, context: CallContext, input: SetupInput): SetupDraft[] {
  const { agentName } = engine.settings.project
  const sourceClass = highestFor(engine, context)
  const draft = (content: string, tags: readonly string[], isBuiltIn = false): SetupDraft => ({
    content,
    tags: normaliseTags(tags),
    category: DEFAULT_CATEGORY,
    source: 'setup',
    sourceClass,
    session: 'setup',
    // Another caller's words change no principle that says the same.
    trusted: isOwner(engine, context),
    isBuiltIn,
  })
  const seeds = input.seed ? PRINCIPLES : []
  const template = input.template === undefined ? [] : TEMPLATES[input.template].blocks
  return [
    ...seeds.map(({ content, tags }) => draft(content(agentName), tags, true)),
    ...(input.principles ?? []).map((text) => draft(text, [CONSTITUTIONAL_TAG, 'self/value'])),
    ...template.map(({ content, tags }) => draft(content, tags, true)),
    ...(input.identity === undefined ? [] : [draft(input.identity, ['self/context'])]),
    ...(input.values ?? []).map((text) => draft(text, ['self/value'])),
  ]
}

/** Role tags that an active or waiting block of this very scope carries. */
async function takenRoles(tx: StoreReader, { scope }: Engine): Promise<Set<string>> {
  const roles = new Set<string>()
  for (const status of ['active', 'inbox'] satisfies BlockStatus[]) {
    const filter = { status, tag: `${ROLE}*`, order: 'arrival', limit: ROLES_READ } as const
    for (let page = await tx.page(filter); ; page = await tx.page({ ...filter, cursor: page.cursor })) {
      const own = page.blocks.filter((block) => block.scope === scope)
      for (const tag of own.flatMap(({ tags }) => tags)) if (tag.startsWith(ROLE)) roles.add(tag)
      if (page.cursor === undefined) break
    }
  }
  return roles
}

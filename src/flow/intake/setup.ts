import { PRINCIPLES, TEMPLATES } from '../../config/seeds.ts'
import type { Block, BlockStatus } from '../../domain/block/block.ts'
import { DEFAULT_CATEGORY } from '../../domain/block/category.ts'
import { isLessTrusted } from '../../domain/block/source-class.ts'
import { CONSTITUTIONAL_TAG, isConstitutional, normaliseTags } from '../../domain/block/tags.ts'
import { isSameText } from '../../domain/text/same-text.ts'
import type { StoreReader } from '../../ports/store/transaction.ts'
import { type DreamAdvice, dreamAdvice } from '../engine/dream-policy.ts'
import type { CallContext, Engine } from '../engine/engine.ts'
import { type Mutation, mutate } from '../engine/mutate.ts'
import { checkContent } from '../guard/check-input.ts'
import { highestFor } from '../guard/claimed-class.ts'
import { isOwner } from '../guard/owner-only.ts'
import { type Admitted, admit, type Draft, formerOf } from './admit.ts'
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
  /** Ids of blocks that said the same, were trusted less, and count as the owner's from now on. */
  readonly raised?: readonly string[]
}

const ROLE = 'self/role/'

/** Blocks with a role read at a time. */
const ROLES_READ = 1_000

/**
 * Writes who the agent is: the explicit trusted act that may write principles. Repeating it changes nothing: roles
 * that are taken and texts that are there are left out. What somebody trusted less said before in the same words keeps
 * none of it from being written: the owner's words make that block the owner's, an agent's stand beside it.
 */
export async function setup(engine: Engine, context: CallContext, input: SetupInput): Promise<SetupResult> {
  const drafts = draftsOf(engine, context, input)
  for (const { content } of drafts) checkContent(content, engine.settings.memory)
  const result = await mutate(engine, context, async (mutation) => {
    const { tx, log } = mutation
    const admitted = await admitOpen(engine, mutation, { context, input, drafts })
    const created = idsOf(admitted.filter((each) => each.created))
    const raised = idsOf(admitted.filter(({ raisedFrom }) => raisedFrom !== undefined))
    const before = admitted.flatMap((each) =>
      each.before ? [{ blockId: each.block.id, ...formerOf(each.before) }] : [],
    )
    await log({
      operation: 'setup',
      blockIds: [...new Set([...created, ...before.map(({ blockId }) => blockId)])],
      summary: `${created.length} of ${drafts.length} identity blocks are new${raised.length === 0 ? '' : `, ${raised.length} count as the owner's now`}`,
      ...(before.length > 0 ? { before } : {}),
    })
    const advice = await dreamAdvice(tx, engine, await tx.waiting())
    return {
      blocksCreated: created.length,
      totalAttempted: drafts.length,
      blockIds: created,
      ...(raised.length > 0 ? { raised } : {}),
      ...advice,
    }
  })
  for (const id of result.blockIds) engine.session.noteLearned(id)
  return result
}

interface Writing {
  readonly context: CallContext
  readonly input: SetupInput
  readonly drafts: readonly SetupDraft[]
}

/** Admits the drafts whose roles are open; throws `OWNER_ONLY` for built-in ones that only the owner may add. */
async function admitOpen(
  engine: Engine,
  mutation: Mutation,
  { context, input, drafts }: Writing,
): Promise<Admitted[]> {
  const { tx } = mutation
  const holders = input.seed ? await roleHolders(tx, engine) : []
  const builtIn = await builtInFor(engine, context, tx, input)
  const admitted: Admitted[] = []
  for (const { isBuiltIn, ...draft } of drafts) {
    if (holders.some((holder) => isTaken(holder, draft))) continue
    const each = await admit(engine, mutation, draft)
    if (isBuiltIn) builtIn.mustBeFree(each.created || each.before !== undefined)
    admitted.push(each)
  }
  return admitted
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
    insists: true,
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

function idsOf(admitted: readonly Admitted[]): string[] {
  return admitted.map(({ block }) => block.id)
}

/** A block that fills a role, and who speaks in it. */
type Holder = Pick<Block, 'tags' | 'content' | 'sourceClass'>

/**
 * True if the role of a principle is filled: by what is not trusted less, or by a principle in other words. Equal words
 * that are trusted less become the caller's.
 */
function isTaken({ tags, content, sourceClass }: Holder, draft: Draft): boolean {
  if (!draft.tags.some((tag) => tag.startsWith(ROLE) && tags.includes(tag))) return false
  if (!isLessTrusted(sourceClass, draft.sourceClass)) return true
  return isConstitutional(tags) && !isSameText(content, draft.content)
}

/** Active and waiting blocks of this very scope that carry a role. */
async function roleHolders(tx: StoreReader, { scope }: Engine): Promise<Holder[]> {
  const holders: Holder[] = []
  for (const status of ['active', 'inbox'] satisfies BlockStatus[]) {
    const filter = { status, tag: `${ROLE}*`, order: 'arrival', limit: ROLES_READ } as const
    for (let page = await tx.page(filter); ; page = await tx.page({ ...filter, cursor: page.cursor })) {
      holders.push(...page.blocks.filter((block) => block.scope === scope))
      if (page.cursor === undefined) break
    }
  }
  return holders
}

import * as z from 'zod'
import { validityWords } from '../../block/validity.ts'
import { dreamAdvice } from '../../dream/rest.ts'
import { mutate } from '../../engine/mutate.ts'
import { type Admitted, admitAll, formerOf } from '../../intake/admit.ts'
import { replaceableByWords } from '../../intake/supersede.ts'
import { readWaiting } from '../../store/blocks.ts'
import { mayReplaceSentence, toReplaceable } from '../may-replace.ts'
import { defineScopedOperation } from '../operation.ts'
import * as schemas from '../schemas.ts'
import { restingSentence, restingWords } from '../schemas.ts'
import { dreamHint, leftOutSentence, sentences, shortId } from '../wording.ts'
import { draftOf, remembered, thing } from './remembered.ts'
import { takeIn } from './take-in.ts'

/** Returns the id of the new block, or of the block that says the same already. */
export const remember = defineScopedOperation({
  name: 'remember',
  summary: 'Put one thing worth keeping into the inbox.',
  guide: {
    when: 'You learned what a later session should know: a fact, a decision and its reason, a preference.',
    whenNot:
      'Many things at once: rememberMany(). A whole document: learnDocument(). A principle: setup(). A correction of a block: edit().',
    next: 'dream() when the answer says shouldDream. recall() finds it at once. After superseding: resolve().',
    example: "await memory.remember({ content: 'Releases go out on Tuesdays.', tags: ['project/atlas'] })",
  },
  tools: 'verbs',
  isAlwaysShown: true,
  needs: 'agent',
  effect: 'write',
  makesMemory: true,
  cost: 'instant',
  idempotent: false,
  refuses: ['NOT_FOUND', 'AMBIGUOUS_ID', 'WRONG_STATUS', 'PROTECTED', 'FRAME_IN_TEXT'],
  input: thing,
  output: z.object({
    ...remembered,
    ...schemas.takenIn,
  }),
  positionals: ['content'],
  ownerOnly: { sourceClass: ['user'] },
  // One durable write, no model.
  run: async (engine, input, context) => {
    const { supersedes, derivedFrom } = input
    const draft = draftOf(engine, context, input)
    const items = [{ index: 0, draft, supersedes, derivedFrom }]
    const result = await mutate(engine, context, async (mutation) => {
      const { tx, log } = mutation
      const [taken] = await takeIn(engine, mutation, items, {
        admit: (drafts) => admitAll(engine, mutation, { drafts }),
        forItem: (_index, work) => work(),
      })
      const { admitted, remembered: done } = taken as NonNullable<typeof taken>
      await log(entryOf(admitted, done))
      const isAsked = supersedes === undefined && done.echoOf === undefined && done.supersededBy === undefined
      const found = isAsked ? await replaceableByWords(engine, tx, admitted.block) : []
      const mayReplace = found.map((each) => toReplaceable(done.blockId, each))
      const { pending, shouldDream } = dreamAdvice(engine, await readWaiting(tx))
      return { ...done, ...(mayReplace.length > 0 ? { mayReplace } : {}), pending, shouldDream }
    })
    if (result.status === 'created') engine.session.noteLearned(result.blockId)
    return { ...result, visible: true as const, summary: summaryOf(result, supersedes) }
  },
})

type Remembered = z.output<z.ZodObject<typeof remembered>>
type Result = Remembered & { readonly pending: number; readonly shouldDream: boolean }

function summaryOf(result: Result, wanted: string | undefined): string {
  const id = shortId(result.blockId)
  return sentences(
    result.echoOf === undefined
      ? statusSentence(result, id)
      : `That is what the memory said itself (${shortId(result.echoOf)}), which stays fresh for it; no copy was made.`,
    leftOutSentence(result.leftOut),
    mergeSentence(result),
    raiseSentence(result),
    validitySentence(result),
    result.refusedValidity &&
      'Your dates were not taken, because these words are trusted more than yours; whoever said them may edit() them.',
    placeSentence(result),
    restingSentence(result.restsOnReplaced ?? []),
    ...(result.mayReplace ?? []).map((each) => `${mayReplaceSentence(each)}.`),
    result.datedBefore && 'By its date that one is the newer, so recall shows it until then.',
    wanted !== undefined &&
      result.supersedes === undefined &&
      `That it is to take the place of ${shortId(wanted)} was not noted, because the text was there already; forget() ${shortId(wanted)} if it is no longer true.`,
    result.supersededBy !== undefined &&
      `But ${shortId(result.supersededBy)} took its place since. If it holds again, remember it with supersedes: '${shortId(result.supersededBy)}'.`,
    dreamHint(result),
  )
}

function statusSentence({ status, pendingConsolidation, saidAgain }: Result, id: string): string {
  if (status === 'created') return `Remembered as ${id}; recall() finds it.`
  if (saidAgain) return `Known already as ${id}; noted that it was said again.`
  return pendingConsolidation
    ? `Waiting already as ${id}; nothing was added.`
    : `Known already as ${id}; nothing was queued.`
}

function raiseSentence({ raisedFrom }: Result): string {
  return raisedFrom === undefined
    ? ''
    : `It was of class ${raisedFrom}; as the owner says it too, it is the owner's now.`
}

function placeSentence({ status, supersedes, proposed }: Result): string {
  if (supersedes === undefined) return ''
  const id = shortId(supersedes)
  if (status === 'duplicate' && !proposed)
    return `It holds again in the place of ${id}; resolve() archives that one.`
  return proposed
    ? `${id} is trusted more, so this only proposes to take its place: recall shows both until the owner decides with resolve().`
    : `It is to take the place of ${id}: after the dream decide with resolve().`
}

/** Returns when the block holds, if anything says so; of a block that was there too, since what it says may have ended. */
function validitySentence({ validFrom, validUntil, readFromText = [] }: Result): string {
  if (validFrom === undefined && validUntil === undefined) return ''
  const by = readFromText.length > 0 ? ', as its text says' : ''
  return `It holds ${validityWords({ validFrom, validUntil })}${by}.`
}

function mergeSentence({ mergedTags = [], mergedCue, mergedValidity }: Result): string {
  const gained = [
    ...(mergedTags.length > 0 ? [`the tags ${mergedTags.join(', ')}`] : []),
    ...(mergedCue ? ['the cue'] : []),
    ...(mergedValidity ? ['the dates'] : []),
  ]
  return gained.length === 0 ? '' : `It took over ${gained.join(' and ')}.`
}

function entryOf(
  { block, created, before, raisedFrom }: Admitted,
  { supersedes, proposed, restsOnReplaced = [] }: Remembered,
) {
  const what = created ? 'a new block' : 'a block says the same already'
  const changed = before ? formerOf(before) : undefined
  const raised = raisedFrom === undefined ? '' : `; it was of class ${raisedFrom}, and the owner says it too`
  const place =
    supersedes === undefined ? '' : `; ${proposed ? 'it is proposed' : 'it is'} to take the place of another`
  return {
    operation: 'remember',
    // What rests on what it replaces has this in its history, too.
    blockIds: [block.id, ...(supersedes === undefined ? [] : [supersedes]), ...restsOnReplaced],
    summary: `${what}${raised}${place}${restingWords(restsOnReplaced)}`,
    ...(changed ? { before: changed } : {}),
  }
}

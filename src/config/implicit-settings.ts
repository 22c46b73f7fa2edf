import * as z from 'zod'
import { TRACE_BOUNDS } from '../domain/attribution/trace.ts'
import { count, setting, unit } from './setting.ts'

const onOff = z.boolean()

/** How much is learned from what an agent did with recalled blocks, without a report of anybody (docs/implicit.md). */
export const implicitSettings = z.object({
  hooks: setting(onOff, true, {
    unit: 'on/off',
    reason: 'traces of coding agents, whose commands, edits and commits show what became of a block',
  }),
  adapters: setting(onOff, false, {
    unit: 'on/off',
    reason: 'traces of agent frameworks: a tool of theirs that did not throw says little of a block',
  }),
  tool: setting(onOff, false, {
    unit: 'on/off',
    reason:
      'a tool call with the evidence in it succeeded: helped. Off: more harmful blocks came back in the measured worlds',
  }),
  toolWeight: setting(unit, 0.25, {
    unit: 'reports',
    reason: 'that this counts for: most calls succeed, with a wrong number too',
  }),
  check: setting(onOff, true, {
    unit: 'on/off',
    reason: 'a command failed, the evidence was used, and the same command passed: helped',
  }),
  checkWeight: setting(unit, 0.75, {
    unit: 'reports',
    reason: 'that this counts for: hardly by chance, but others may have been used as well',
  }),
  commit: setting(onOff, true, {
    unit: 'on/off',
    reason: 'an edit with the evidence in it was committed: helped',
  }),
  commitWeight: setting(unit, 0.5, {
    unit: 'reports',
    reason: 'that this counts for: somebody meant to keep it',
  }),
  citation: setting(onOff, true, {
    unit: 'on/off',
    reason: 'the answer cites the block: helped',
  }),
  citationWeight: setting(unit, 0.5, {
    unit: 'reports',
    reason: 'that this counts for: half of an answer that was reported on purpose',
  }),
  revert: setting(onOff, false, {
    unit: 'on/off',
    reason:
      'a commit or an edit with the evidence in it was taken back: misled. Off: most blocks of a commit that goes were right, and recall fell in the measured worlds',
  }),
  revertWeight: setting(unit, 0.5, {
    unit: 'reports',
    reason: 'that this counts for: it may have been taken back for another reason',
  }),
  retry: setting(onOff, true, {
    unit: 'on/off',
    reason: 'a call with the evidence failed, and the same program or edit succeeded without it: misled',
  }),
  retryWeight: setting(unit, 0.25, {
    unit: 'reports',
    reason: 'that this counts for: something else may have changed between the two',
  }),
  correction: setting(onOff, true, {
    unit: 'on/off',
    reason: 'the user corrects the answer and names what was used of the block: misled',
  }),
  correctionWeight: setting(unit, 0.5, {
    unit: 'reports',
    reason: 'that this counts for: the user knows, but the words may be about something else',
  }),
  inputCharacters: setting(count.min(100).max(100_000), TRACE_BOUNDS.inputCharacters, {
    unit: 'characters',
    reason: 'of one tool input that are compared with blocks: a command, or the beginning of an edit',
  }),
  answerCharacters: setting(count.max(100_000), TRACE_BOUNDS.answerCharacters, {
    unit: 'characters',
    reason: 'of the end of an answer, and of the beginning of a reply: a long answer says words by chance',
  }),
  steps: setting(count.min(1).max(1_000), TRACE_BOUNDS.steps, {
    unit: 'steps',
    reason: 'of one message, the oldest go first: more than an agent takes for one as a rule',
  }),
  enoughWords: setting(count.min(1).max(100), 2, {
    unit: 'words',
    reason: 'that stand in no other block and not in the question, and show that a block was used',
  }),
  firstBlocks: setting(count.max(100), 2, {
    unit: 'blocks',
    reason: 'at the head of a frame that one such word is enough for',
  }),
})

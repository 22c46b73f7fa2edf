import * as z from 'zod'
import { setting, unit } from './setting.ts'

const onOff = z.boolean()

/** How much is learned from what an agent did with recalled blocks, without a report of anybody (docs/implicit.md). */
export const implicitSettings = z.object({
  hooks: setting(onOff, true, {
    unit: 'on/off',
    reason: 'traces of coding agents, whose commands and edits show what became of a block',
  }),
  adapters: setting(onOff, false, {
    unit: 'on/off',
    reason: 'traces of agent frameworks: a tool of theirs that did not throw says little of a block',
  }),
  checkWeight: setting(unit, 0.75, {
    unit: 'reports',
    reason:
      'a command failed, the evidence was used, and the same command passed; 0: off. Others may have been used as well',
  }),
  citationWeight: setting(unit, 0.5, {
    unit: 'reports',
    reason: 'the answer cites the block; 0: off. Half of an answer that was reported on purpose',
  }),
  correctionWeight: setting(unit, 0.5, {
    unit: 'reports',
    reason:
      'the user corrects the answer and names what was used of the block; 0: off. The words may be about something else',
  }),
})

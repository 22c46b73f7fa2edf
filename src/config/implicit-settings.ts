import * as z from 'zod'
import { setting } from './setting.ts'

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
})

import * as z from 'zod'
import { setByProjects, setting } from './setting.ts'

const count = z.number().int().min(1)

/** How much one call may bring, ask for and get; what a single block may hold is said under `memory`. */
export const limitSettings = z.object({
  ...setByProjects('lower', {
    items: setting(count.max(10_000_000), 100_000, {
      unit: 'items',
      reason: 'named in one scope; each new one counts all, in some milliseconds at this number',
    }),
    openProposals: setting(count.max(100_000), 100, {
      unit: 'proposals',
      reason: 'that wait for the owner in one scope; a person reads each, and a runaway loop makes thousands',
    }),
    answerTokens: setting(count.min(1_000).max(10_000_000), 25_000, {
      unit: 'estimated tokens',
      reason: 'of one answer over MCP, text and fields together; clients refuse or spill what is longer',
    }),
    requestBytes: setting(count.min(65_536).max(512_000_000), 10_485_760, {
      unit: 'bytes',
      reason: 'of one message to the MCP server; what is longer is dropped as it comes and refused',
    }),
    callsPerMinute: setting(count.max(1_000_000), 1_200, {
      unit: 'calls',
      reason:
        'of one MCP connection on average; a busy agent makes one or two a second, a runaway loop hundreds',
    }),
    burstCalls: setting(count.max(1_000_000), 600, {
      unit: 'calls',
      reason: 'that one MCP connection may make at once after a pause',
    }),
  }),
  importBytes: setting(count.min(1_024).max(100_000_000_000), 1_000_000_000, {
    unit: 'bytes',
    reason: 'of all files of one import_from; an export of years of conversations has some hundred MB',
  }),
  listCalls: setting(count.max(1_000), 20, {
    unit: 'calls',
    reason:
      'that a list of the tools over MCP counts as; it is 8 to 35 kB by the set, and clients ask for it once',
  }),
})

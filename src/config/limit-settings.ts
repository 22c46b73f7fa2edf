import * as z from 'zod'
import { setByProjects, setting } from './setting.ts'

const count = z.number().int().min(1)

/** How much one call may bring, ask for and get; what a single block may hold is said under `memory`. */
export const limitSettings = z.object({
  ...setByProjects('lower', {
    queryBytes: setting(count.min(256).max(1_000_000), 20_000, {
      unit: 'bytes',
      reason:
        'of a question; all of it is looked up by its words, and its first few hundred words are embedded',
    }),
    documentBytes: setting(count.min(1_024).max(64_000_000), 4_000_000, {
      unit: 'bytes',
      reason: 'of a text for learn_document: some 800 pages; a longer one is learned in parts',
    }),
    noteBytes: setting(count.min(256).max(1_000_000), 16_384, {
      unit: 'bytes',
      reason: 'of reasons, notes and digests, which explain and are no contents',
    }),
    nameBytes: setting(count.min(256).max(65_536), 1_024, {
      unit: 'bytes',
      reason: 'of everything else that is said in words: a tag, source, session, category, relation, cursor',
    }),
    batchItems: setting(count.max(100_000), 10_000, {
      unit: 'items',
      reason:
        'of remember_many, connects and analyses in one call; so many are checked in well under a second',
    }),
    itemBytes: setting(count.min(256).max(2_000_000), 1_048_576, {
      unit: 'bytes',
      reason:
        'of the value of a named item, as JSON: a long file or a turn of a conversation; it is read and written whole',
    }),
    items: setting(count.max(10_000_000), 100_000, {
      unit: 'items',
      reason: 'named in one scope; each new one counts all, in some milliseconds at this number',
    }),
    openProposals: setting(count.max(100_000), 100, {
      unit: 'proposals',
      reason: 'that wait for the owner in one scope; a person reads each, and a runaway loop makes thousands',
    }),
    idsPerCall: setting(count.max(100_000), 100_000, {
      unit: 'ids',
      reason: 'of one list of ids, which cost little; a report about more says nothing of any of them',
    }),
    listItems: setting(count.max(100_000), 1_000, {
      unit: 'items',
      reason: 'of any other list, such as tags',
    }),
    recallTokens: setting(count.min(256).max(10_000_000), 1_000_000, {
      unit: 'estimated tokens',
      reason: 'the largest budget recall can be given: more than any model reads at once',
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

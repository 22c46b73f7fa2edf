import * as z from 'zod'
import { isScope, SCOPE_RULE, spellScope } from '../domain/block/scope.ts'
import { SOURCE_CLASSES } from '../domain/block/source-class.ts'
import { shownLine } from '../domain/safety/visible.ts'
import { HOOK_BUDGET_BOUNDS, HOOK_BUDGET_MS } from './serving/hook-budget.ts'
import { count, setting } from './setting.ts'

/** The session that groups recent ids and neighbours. */
export const sessionSettings = z.object({
  idleMinutes: setting(z.number().positive(), 30, {
    unit: 'minutes',
    reason:
      'a session in which nothing was written for so long is over; a later command continues the open one if it comes within this',
  }),
  gapCapMinutes: setting(z.number().positive(), 15, {
    unit: 'minutes',
    reason: 'the longest pause between two operations that counts as active time',
  }),
})

/** The settings group `embeddings`: which model makes vectors, and how it is reached. */
export const embeddingSettings = z.object({
  provider: setting(z.enum(['local', 'http', 'onnx', 'hashing']), 'local', {
    unit: 'name',
    reason: 'the model inside the package needs no key and no network',
  }),
  workers: setting(count.min(1).max(16), 1, {
    unit: 'threads',
    reason: 'a second one showed no gain on two virtual cores; of onnx the threads of a run',
  }),
  baseUrl: z
    .url()
    .optional()
    .meta({ unit: 'URL', description: 'of an OpenAI-compatible endpoint, up to /v1' }),
  model: z.string().min(1).optional().meta({
    unit: 'name',
    description:
      'asked of the endpoint; for onnx what its vectors are remembered by, the file name unless given',
  }),
  modelPath: z.string().min(1).optional().meta({
    unit: 'path',
    description: 'of the ONNX file; relative to the working directory',
  }),
  apiKeyEnv: z.string().min(1).optional().meta({
    unit: 'environment variable',
    description: 'that holds the key; the key itself is never stored',
  }),
  dimensions: count
    .min(1)
    .optional()
    .meta({ unit: 'components', description: 'expected of the endpoint, or of hashing' }),
  timeoutSeconds: setting(z.number().positive(), 30, { unit: 'seconds', reason: 'per request' }),
  maxRetries: setting(count.max(10), 3, {
    unit: 'retries',
    reason: 'with growing pauses, for failures that may pass',
  }),
})

/** Stands in headings and lines, so it has to be one, as it is shown. */
const lineOf = (text: z.ZodString) =>
  text.refine((given) => given === shownLine(given), 'must be one line, without invisible characters')

/** A name that no instruction fits into: it stands in the prompt of the agent. */
const NAME = /^[\p{L}\p{M}\p{N} ._-]*$/u

/** The settings group `project`: names for people, the database and its scope. */
export const projectSettings = z.object({
  name: lineOf(z.string())
    .optional()
    .meta({ unit: 'name', description: 'for people; never selects a database', project: 'any' }),
  agentName: setting(
    z
      .string()
      .trim()
      .min(1)
      .max(64)
      .regex(NAME, 'must be letters, digits, blanks, dots, hyphens and underscores'),
    'elf',
    {
      unit: 'name',
      project: 'any',
      reason: 'how the self frame addresses the agent',
    },
  ),
  db: z.string().min(1).optional().meta({
    unit: 'path',
    description: 'of the database; relative to the directory of the file, or around its .elfmem',
  }),
  scope: z
    .string()
    .refine((given) => isScope(spellScope(given)), `must have ${SCOPE_RULE}`)
    .optional()
    .meta({
      unit: 'scope',
      project: 'any',
      description: 'binds the memory to one scope of the database; also set by ELFMEM_SCOPE',
    }),
})

/** The settings group `store`: waits for locks, backups and the packed index. */
export const storeSettings = z.object({
  scopesHeld: setting(z.number().int().min(1).max(1_000), 8, {
    unit: 'scopes',
    reason:
      'a memory of the whole store keeps so many in mind (1.5 kB a block), those it was asked about last',
  }),
  busySeconds: setting(z.number().positive(), 10, {
    unit: 'seconds',
    reason: 'how long a write waits for other processes',
  }),
  keepBackups: setting(count.min(1).max(10_000), 7, {
    unit: 'backups',
    reason:
      'of the folder of backups beside the memory the newest so many stay; those elsewhere are never touched',
  }),
  agentBackups: setting(count.min(1).max(1_000), 3, {
    unit: 'backups',
    reason: 'of those that agents made the newest so many stay; they take the place of no other backup',
  }),
  agentExports: setting(count.min(1).max(10_000), 10, {
    unit: 'files',
    reason:
      'that agents may have in the folder of exports; one more is refused, since an export is never removed',
  }),
  agentFileBytes: setting(count.min(1_048_576).max(1_000_000_000_000), 1_073_741_824, {
    unit: 'bytes',
    reason:
      'of the backups that agents made together, and of their exports together; enough for 100,000 blocks',
  }),
  packedIndex: setting(z.boolean(), true, {
    unit: 'on/off',
    reason:
      'a packed copy of the search index beside the file (`-index`), so that a large memory opens at once; it may be deleted at any time',
  }),
})

/** The settings group `log`: the level, form and file of the log. */
export const logSettings = z.object({
  level: setting(z.enum(['off', 'error', 'info', 'debug']), 'off', {
    unit: 'name',
    reason: 'a library is silent; info is one line an operation, debug adds its summary',
  }),
  format: setting(z.enum(['text', 'json']), 'text', { unit: 'name', reason: 'json for machines' }),
  file: z
    .string()
    .min(1)
    .optional()
    .meta({ unit: 'path', description: 'appended to instead of standard error' }),
})

const scopeName = z.string().refine((given) => isScope(spellScope(given)), `must have ${SCOPE_RULE}`)

/** The settings group `hooks`: what coding agents get with a prompt, from where, and how long they wait. */
export const hookSettings = z.object({
  budgetMs: setting(count.min(HOOK_BUDGET_BOUNDS.least).max(HOOK_BUDGET_BOUNDS.most), HOOK_BUDGET_MS, {
    unit: 'milliseconds',
    reason: 'that a client waits for a hook; what is not there by then is left out',
  }),
  tokens: setting(count.min(64).max(10_000), 600, {
    unit: 'estimated tokens',
    reason: 'of the memory behind one prompt: a few blocks, a small part of what a turn reads',
  }),
  classes: setting(z.array(z.enum(SOURCE_CLASSES)).min(1), ['user', 'agent', 'model'], {
    unit: 'source classes',
    reason:
      "shown where a client passes memory on as the system or the developer; words of tools, documents and others stay behind a recall, whose answer is a tool's",
  }),
  perhaps: setting(z.boolean(), true, {
    unit: 'on/off',
    reason:
      'whether an answer that is no match is worth its place behind a prompt, as it is in an answer; each block comes once a session',
  }),
  scope: setting(z.enum(['project', 'memory']), 'project', {
    unit: 'project | memory',
    reason:
      "what a server with hooks works in: the scope of the git repository around it, so that no memory of one project shows in another, or the whole memory. A memory that lies in a trusted project is that project's already",
  }),
  shared: setting(z.array(scopeName).max(8), [], {
    unit: 'scopes',
    reason: 'whose memories show in the frames of every project, too; the owner alone says which',
  }),
  sessionsKept: setting(count.min(1).max(10_000), 100, {
    unit: 'sessions',
    reason:
      'for which it is kept what they were shown, the newest; an older one that goes on is shown it again',
  }),
})

/** The options of hooks in a program: the settings of the group, and what they work in. */
export const agentHookOptions = hookSettings
  .omit({ scope: true })
  .extend({
    scope: scopeName.optional(),
    wholeMemory: z.boolean().optional(),
    readOnly: z.boolean().optional(),
  })
  .strict()

import { type Mutant, ofGuarantee } from './mutant.ts'

const FILES = 'test/faults/store-files.test.ts'
const BACKUP = 'test/story/30-backup.test.ts'
const EXPORT = 'test/story/31-export.test.ts'
const OFFLINE = 'test/faults/offline.test.ts'
const KEYS = 'test/model/keys.test.ts'
const RECALL = 'test/attacks/recall.test.ts'
const ENTRANCES = 'test/attacks/entrances.slow.test.ts'
const MIND = 'test/attacks/mind.test.ts'
const TRUST = 'test/attacks/trust.test.ts'
const SETTINGS = 'test/attacks/foreign-settings.test.ts'
const PROJECT = 'test/attacks/project-trust.test.ts'
const GROWTH = 'test/attacks/growth.slow.test.ts'
const NESTING = 'test/attacks/nesting.test.ts'
const PINGS = 'test/surfaces/mcp-ping.slow.test.ts'
const SOURCES = 'test/story/33-sources.test.ts'

/** One break or more for each test that SECURITY.md names. */
export const SECURITY: readonly Mutant[] = [
  ...ofGuarantee('The memory is a local file', [
    'a closed memory leaves nothing beside its file',
    'src/sqlite/sqlite-database.ts',
    'for (const connection of connections) connection.close()',
    'for (const connection of connections) void connection',
    FILES,
  ]),
  ...ofGuarantee(
    'Files are yours alone',
    [
      'a new memory is for its owner only',
      'src/sqlite/store.ts',
      `openSync(location, 'a', 0o600)`,
      `openSync(location, 'a', 0o644)`,
      FILES,
    ],
    [
      'backups lie in a folder for their owner only',
      'src/sqlite/maintenance/paths.ts',
      'mkdirSync(path, { recursive: true, mode: 0o700 })',
      'mkdirSync(path, { recursive: true })',
      BACKUP,
    ],
    ['an export is for its owner only', 'src/adapters/system/text-files.ts', '0o600', '0o644', EXPORT],
  ),
  ...ofGuarantee(
    'No network by default',
    [
      'nothing configured, nothing asked',
      'src/operations/inspect/status.ts',
      'export const status =',
      `void fetch('http://127.0.0.1:9/').catch(() => undefined)\nexport const status =`,
      OFFLINE,
    ],
    [
      'no redirect carries a key to another host',
      'src/adapters/remote/transport.ts',
      `redirect: 'manual'`,
      `redirect: 'follow'`,
      KEYS,
    ],
  ),
  ...ofGuarantee('No listening port unless asked', [
    'a server speaks over its standard streams alone',
    'src/surfaces/cli/commands/serve.ts',
    '  const opening = Promise.withResolvers',
    `  ;(await import('node:net')).createServer().listen(0)\n  const opening = Promise.withResolvers`,
    OFFLINE,
  ]),
  ...ofGuarantee('Recalled text is data', [
    'no line of a block passes for a line of the frame',
    'src/domain/safety/visible.ts',
    ['`$', '{CONTINUATION}$', '{line}`.trimEnd()'].join(''),
    'line',
    RECALL,
  ]),
  ...ofGuarantee(
    'What is shown is what is there',
    [
      'nothing invisible and nothing a terminal obeys is rendered',
      'src/domain/safety/visible.ts',
      'stripInvisible(text).text',
      'text',
      'test/attacks/terminal.test.ts',
    ],
    [
      'no picture is fetched by drawing an answer',
      'src/domain/safety/visible.ts',
      `.replaceAll('![', '! [')`,
      '',
      RECALL,
    ],
  ),
  ...ofGuarantee(
    'Fences and redaction',
    [
      'the mark of a fence belongs to one question',
      'src/flow/judge/open-judge.ts',
      'const nonce = () => ids.random()',
      `const nonce = () => (ids ? '0000' : '')`,
      MIND,
    ],
    [
      'secrets stay on this machine',
      'src/flow/judge/judge.ts',
      'const { text: safe, found } = redactSecrets(visible)',
      'const { text: safe, found } = { ...redactSecrets(visible), text: visible }',
      'test/story/21-mind.test.ts',
    ],
  ),
  ...ofGuarantee(
    'Secrets are kept out of the store',
    [
      'what is written is looked through first',
      'src/operations/operation.ts',
      `operation.effect === 'read' ? 'keep'`,
      `operation.effect !== undefined ? 'keep'`,
      'test/story/36-secrets.test.ts',
    ],
    [
      'what a line break or an invisible character divides is seen whole',
      'src/domain/safety/secrets/secrets.ts',
      'for (const view of viewsOf(text))',
      'for (const view of viewsOf(text).slice(9))',
      'test/secrets/shares.test.ts',
    ],
    [
      'doctor looks through the log as well',
      'src/flow/inspect/kept-secrets.ts',
      'for await (const entry of logOf(engine, context))',
      'for await (const entry of [] as readonly OperationRecord[])',
      'test/attacks/secrets.test.ts',
    ],
  ),
  ...ofGuarantee(
    'Every call is bounded',
    [
      'every text and list of a call has a limit',
      'src/operations/operation.ts',
      '    checkLimits(given, limits)\n',
      '',
      'test/story/34-limits.test.ts',
    ],
    [
      'a runaway client is stopped',
      'src/flow/guard/call-rate.ts',
      'if (filled.credit >= price)',
      'if (filled.credit >= 0)',
      'test/surfaces/mcp-limits.test.ts',
    ],
  ),
  ...ofGuarantee('A model has no say over who the agent is', [
    'a model grants neither principles nor goals',
    'src/domain/block/tags.ts',
    `return !isProtectedTag(tag) && tag !== 'self/goal'`,
    'return !isProtectedTag(tag)',
    MIND,
  ]),
  ...ofGuarantee('Protected tags', [
    'no ordinary call gives a protected tag',
    'src/operations/intake/remembered.ts',
    '  refuseProtectedTags(tags)\n',
    '',
    RECALL,
  ]),
  ...ofGuarantee(
    'Words of others never become identity',
    [
      'the words of others gain no tag of identity',
      'src/domain/block/source-class.ts',
      'return OWN_CLASSES.includes(sourceClass)',
      'return OWN_CLASSES.includes(sourceClass) || sourceClass !== undefined',
      SOURCES,
    ],
    [
      'a frame takes only the classes it names',
      'src/flow/recall/match.ts',
      'frame.classes.length < SOURCE_CLASSES.length',
      'frame.classes.length < 0',
      SOURCES,
    ],
    [
      'what comes over MCP is never the owner’s',
      'src/flow/guard/claimed-class.ts',
      `? 'user' : 'agent'`,
      `? 'user' : 'user'`,
      SOURCES,
    ],
    [
      'a merge gives the words of others no identity',
      'src/operations/correct/keep-one.ts',
      '(isOwn(stays) || !isIdentityTag(tag))',
      '(isOwn(stays) || tag.length > 0)',
      SOURCES,
    ],
    [
      'an edit gives the words of others no identity',
      'src/operations/correct/edited.ts',
      '  refuseIdentityTags(after.tags, sourceClass)\n',
      '',
      TRUST,
    ],
    [
      'an undo gives the words of others no identity',
      'src/flow/undo/may-undo.ts',
      '  if (foreign !== undefined) throw',
      '  if (foreign === undefined && foreign) throw',
      SOURCES,
    ],
    [
      'over MCP nobody undoes what took trust from words',
      'src/flow/undo/may-undo.ts',
      `return mayDo(caller, 'owner') ? undefined : caller.actor`,
      `return mayDo(caller, 'owner') ? undefined : undefined`,
      SOURCES,
    ],
    [
      'an import that is not trusted brings imports alone',
      'src/flow/maintenance/as-new.ts',
      `    source_class: 'import' satisfies SourceClass,\n`,
      '',
      ENTRANCES,
    ],
  ),
  ...ofGuarantee(
    'Over MCP no path is taken',
    [
      'what is for whoever sits at the machine is refused',
      'src/operations/operation.ts',
      '    mustBeOwners(operation, asking, given)\n',
      '',
      BACKUP,
    ],
    [
      'an import that is not trusted brings no identity',
      'src/flow/maintenance/as-new.ts',
      'given.filter((tag) => !isIdentityTag(tag) && !isProtectedTag(tag))',
      'given.filter((tag) => !isIdentityTag(tag) || !isProtectedTag(tag))',
      EXPORT,
    ],
    [
      'an import that is not trusted brings no log to undo',
      'src/operations/maintenance/import.ts',
      'const records = trusted ? all : wordsOf(all, rules, tally)',
      'const records = trusted || settings ? all : wordsOf(all, rules, tally)',
      EXPORT,
    ],
  ),
  ...ofGuarantee(
    'Changes are recorded',
    [
      'an undo refuses what was changed since',
      'src/store/undo/check.ts',
      '  throw conflict(row === undefined ? [...blocksIn(table, key)] : endsOf(table, [row]), by)\n',
      '  return []\n',
      'test/story/25-undo.test.ts',
    ],
    [
      'an undo brings back every row',
      'src/store/undo/revert.ts',
      'for (const plan of others) await remove(tx, plan)',
      '',
      'test/undo/undo-sequences.test.ts',
    ],
  ),
  ...ofGuarantee(
    'A foreign project steers nothing',
    [
      'a project sets only what is marked for it',
      'src/adapters/project/trust/allowed-settings.ts',
      'if (project !== undefined && !isRaised) return true',
      'if (!isRaised) return true',
      SETTINGS,
    ],
    [
      'a name is one line',
      'src/config/runtime-settings.ts',
      '(given) => given === shownLine(given)',
      '(given) => shownLine(given) !== undefined',
      'test/attacks/one-line.test.ts',
    ],
    [
      'a key goes only where the one who named it said',
      'src/adapters/project/trust/key-sources.ts',
      'named.source === address.source',
      'named.source !== undefined',
      SETTINGS,
    ],
    [
      'what Bun has read from a file changes nothing',
      'src/adapters/project/resolve.ts',
      'const cleaned = bun ?',
      'const cleaned = bun && files === systemFiles ?',
      SETTINGS,
    ],
  ),
  ...ofGuarantee(
    'A project is used after you said so',
    [
      'a folder in the place of the trusted one is untrusted',
      'src/adapters/project/trust/standing.ts',
      'if (entry.id !== folder.id)',
      "if (entry.id === '')",
      PROJECT,
    ],
    [
      'another database in the folder is untrusted',
      'src/opening/memory-id.ts',
      'if (!isEmpty) return known === trust.now()',
      'if (!isEmpty) return true',
      PROJECT,
    ],
    [
      'a link in the place of a database is not followed',
      'src/adapters/project/trust/standing.ts',
      "if (facts.kind === 'link') return",
      "if (facts.kind === 'other') return",
      PROJECT,
    ],
  ),
  ...ofGuarantee(
    'Git gets the config and no words',
    [
      'git ignores all but the config',
      'src/adapters/project/trust/own-folder.ts',
      "'*\\n!config.yaml\\n!.gitignore\\n'",
      "'*.db\\n*.db-shm\\n*.db-wal\\n'",
      'test/attacks/git.test.ts',
    ],
    [
      'what a project’s own .gitignore takes back is noticed',
      'src/adapters/project/trust/own-folder.ts',
      'return all >= 0 && back.every',
      'return all >= 0 || back.every',
      'test/attacks/git.test.ts',
    ],
  ),
  ...ofGuarantee('Reading creates nothing', [
    'a command that reads makes no memory',
    'src/surfaces/cli/operation.ts',
    "bringsBack ? 'make' : 'wait',",
    "'make',",
    'test/attacks/reading-creates-nothing.test.ts',
  ]),
  ...ofGuarantee('Keys are not stored', [
    'no key is in the file, its log or an error',
    'src/adapters/remote/server-words.ts',
    `text.replaceAll(apiKey, '[key]')`,
    'text',
    KEYS,
  ]),
  ...ofGuarantee(
    'Time is in proportion to the text',
    [
      'marks in a row are put in order thirty at a time',
      'src/domain/text/text.ts',
      'if (ends.length === 0) return',
      'if (ends.length >= 0) return',
      'test/attacks/marks.test.ts',
      'remember.content',
    ],
    [
      'a long word is looked at once, not from each of its letters',
      'src/search/language/words.ts',
      '[\\p{L}\\p{N}_]+)*/gu',
      '[\\p{L}\\p{N}_]+)+/gu',
      GROWTH,
      'recall.query',
    ],
    [
      'a configuration that nests without end never reaches a parser',
      'src/adapters/project/config-file.ts',
      'if (nestsDeeper(text))',
      `if (nestsDeeper(''))`,
      NESTING,
    ],
    [
      'long work lets others have their turn',
      'src/flow/engine/engine.ts',
      'if (this.#work < WORK_BETWEEN && performance.now()',
      'if (this.#work > 0 || performance.now()',
      PINGS,
      'connection strings',
    ],
  ),
]

import { newToken, openTokenStore, type TokenFacts } from '../../../adapters/project/tokens/token-store.ts'
import { memoryName } from '../../../engine/address.ts'
import type { TokenStore } from '../../../engine/ports.ts'
import { ElfmemError } from '../../../errors.ts'
import { operationNames } from '../../../operations/load.ts'
import { toolChoiceFrom } from '../../../operations/tool-choice.ts'
import { harmlessLine } from '../../../operations/wording.ts'
import { openTokens, placeName, servicePlace } from '../../service/place.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK, EXIT_REFUSED } from '../io.ts'
import { resolveCliProject } from '../project.ts'
import { jsonText } from '../screen/output.ts'
import { pageFor, setOnPage } from '../screen/style.ts'

/** Digits of a hash that are shown, enough to tell two tokens apart. */
const SHOWN_DIGITS = 12
const ACTIONS = ['list', 'add', 'revoke'] as const

/** The flags that say what a token is, besides its name. */
const FACTS = ['as', 'scope', 'tools', 'memory', 'expires'] as const

/** The tokens that a command is for, and how it answers. */
interface Tokens {
  readonly store: TokenStore
  /** The name of the place whose memories they open. */
  readonly path: string
  /** True: they open memories by name; otherwise the one of a file. */
  readonly isService: boolean
  readonly tell: (data: object, text: string) => void
}

/** Makes, lists and revokes the tokens of a memory. */
export async function runTokens(flags: ParsedFlags, io: CliIo): Promise<number> {
  const { global, positionals, values } = flags
  const [given = 'list'] = positionals
  const action = ACTIONS.find((each) => each === given)
  if (action === undefined)
    throw new ElfmemError('INVALID_INPUT', `elfmem tokens does not know "${harmlessLine(given)}".`, {
      recovery: 'It knows list, add and revoke.',
    })
  const named = { ...values, as: global.as, memory: global.memory } as ParsedFlags['values']
  const useless = [...(action === 'add' ? [] : FACTS), ...(action === 'list' ? ['name'] : [])]
  const unused = useless.find((flag) => named[flag] !== undefined)
  if (unused !== undefined)
    throw new ElfmemError('INVALID_INPUT', `elfmem tokens ${action} has no use for --${unused}.`, {
      recovery: 'Leave it out.',
    })
  const { store, path, isService, close } = await storeOf(flags, io)
  try {
    const tell: Tokens['tell'] = (data, text) => {
      const place = isService ? { store: path } : { memory: path }
      const said = global.json ? jsonText({ ...place, ...data }) : setOnPage(text, pageFor(io.stdout, io))
      io.stdout.write(`${said}\n`)
    }
    const tokens = { store, path, isService, tell }
    if (action === 'list') return await list(tokens)
    const { name } = values
    if (typeof name !== 'string')
      throw new ElfmemError('INVALID_INPUT', `elfmem tokens ${action} needs a name.`, {
        recovery: `Run elfmem tokens ${action} --name ci.`,
      })
    if (action === 'revoke') return await revoke(tokens, name)
    const memory = isService ? memoryName(global.memory ?? name) : path
    return await add(tokens, factsOf(flags, { name, memory }), io, global)
  } finally {
    await close()
  }
}

/** Opens the tokens of a folder, of a database, or else of the one file. */
async function storeOf({ global, values }: ParsedFlags, io: CliIo) {
  const place = servicePlace({ memories: values.memories, store: values.store, db: global.db }, io)
  if (place !== undefined) {
    const { tokens: store, close } = await openTokens(place)
    return { store, path: placeName(place), isService: true, close }
  }
  const project = await resolveCliProject({ ...global, quiet: global.quiet || global.json }, io)
  const { path } = project.database
  const store = openTokenStore(io.home, path, process.getuid?.())
  return { store, path, isService: false, close: async () => undefined }
}

async function list({ store, path, isService, tell }: Tokens): Promise<number> {
  const records = await store.list()
  const tokens = records.map(({ sha256, isAutomatic, madeAt, expiresAt, memory, ...record }) => ({
    ...record,
    ...(isService ? { memory } : {}),
    sha256: sha256.slice(0, SHOWN_DIGITS),
    made_at: madeAt,
    ...(expiresAt === undefined ? {} : { expires_at: expiresAt }),
    ...(isAutomatic ? { automatic: true } : {}),
  }))
  const lines = tokens.map(({ name, ...facts }) =>
    harmlessLine([name, ...Object.entries(facts).map(([key, value]) => `${key} ${value}`)].join('  ')),
  )
  const none = `No token opens ${path}; elfmem tokens add --name NAME makes one.`
  tell({ tokens }, lines.join('\n') || harmlessLine(none))
  return EXIT_OK
}

function factsOf({ global, values }: ParsedFlags, named: Pick<TokenFacts, 'name' | 'memory'>): TokenFacts {
  const { scope, tools, expires } = values
  if (typeof tools === 'string') toolChoiceFrom(tools, operationNames)
  return {
    ...named,
    as: global.as ?? 'agent',
    ...(typeof scope === 'string' ? { scope } : {}),
    ...(typeof tools === 'string' ? { tools } : {}),
    ...(typeof expires === 'string' ? { expiresAt: timeAfter(expires) } : {}),
  }
}

const MINUTES = { m: 1, h: 60, d: 1_440, w: 10_080 } as const

/** Returns the time that is a span from now, such as 90d, ISO-8601 UTC. */
function timeAfter(span: string): string {
  const [, number, unit] = /^([1-9]\d{0,4})([mhdw])$/.exec(span) ?? []
  if (number === undefined)
    throw new ElfmemError('INVALID_INPUT', '--expires is no span of time.', {
      recovery: 'Say a number with m, h, d or w for minutes, hours, days or weeks, such as 90d.',
    })
  return new Date(Date.now() + Number(number) * MINUTES[unit as keyof typeof MINUTES] * 60_000).toISOString()
}

async function add(
  { store, tell }: Tokens,
  facts: TokenFacts,
  io: CliIo,
  { json, quiet }: ParsedFlags['global'],
): Promise<number> {
  const { token, record } = newToken(facts)
  await store.add(record)
  // The token alone goes to standard output, so that a script can take it.
  if (json) tell({ ...facts, token }, '')
  else io.stdout.write(`${token}\n`)
  if (!json && !quiet)
    io.stderr.write(`elfmem: this is the only time that the token "${facts.name}" is shown\n`)
  return EXIT_OK
}

async function revoke({ store, tell }: Tokens, name: string): Promise<number> {
  const revoked = await store.revoke(name)
  const shown = harmlessLine(name)
  const said = revoked ? `The token "${shown}" opens nothing any more.` : `There is no token "${shown}".`
  tell({ name, revoked }, said)
  return revoked ? EXIT_OK : EXIT_REFUSED
}

import { openTokenStore, type TokenStore } from '../../../adapters/project/tokens/token-store.ts'
import { ElfmemError } from '../../../errors.ts'
import { operationNames } from '../../../operations/load.ts'
import { toolChoiceFrom } from '../../../operations/tool-choice.ts'
import { harmlessLine, nearest } from '../../../operations/wording.ts'
import type { ParsedFlags } from '../flags.ts'
import { type CliIo, EXIT_OK, EXIT_REFUSED } from '../io.ts'
import { resolveCliProject } from '../project.ts'
import { jsonText } from '../screen/output.ts'
import { pageFor, setOnPage } from '../screen/style.ts'

/** Digits of a hash that are shown, enough to tell two tokens apart. */
const SHOWN_DIGITS = 12
const ACTIONS = ['list', 'add', 'revoke'] as const

/** Makes, lists and revokes the tokens of a memory. */
export async function runTokens(flags: ParsedFlags, io: CliIo): Promise<number> {
  const { global, positionals, values } = flags
  const action = ACTIONS.find((each) => each === (positionals[0] ?? 'list'))
  if (action === undefined) throw noAction(positionals[0] ?? '')
  const unused = unusedIn(action, { ...values, as: global.as })
  if (unused !== undefined)
    throw new ElfmemError('INVALID_INPUT', `elfmem tokens ${action} has no use for --${unused}.`, {
      recovery: 'Leave it out.',
    })
  const project = await resolveCliProject({ ...global, quiet: global.quiet || global.json }, io)
  const { path } = project.database
  const store = openTokenStore(io.home, path, process.getuid?.())
  const tell: Tell = (data, text) => {
    const said = global.json ? jsonText({ memory: path, ...data }) : setOnPage(text, pageFor(io.stdout, io))
    io.stdout.write(`${said}\n`)
  }
  if (action === 'list') return list(store, { path, tell })
  const name = values.name
  if (typeof name !== 'string')
    throw new ElfmemError('INVALID_INPUT', `elfmem tokens ${action} needs a name.`, {
      recovery: `Run elfmem tokens ${action} --name ci.`,
    })
  return action === 'revoke' ? revoke(store, { name, tell }) : add(store, { ...flags, name }, { io, tell })
}

type Tell = (data: object, text: string) => void

/** The flags that an action has no use for. */
function unusedIn(action: string, values: Readonly<Record<string, unknown>>): string | undefined {
  const own = action === 'add' ? ['name', 'as', 'scope', 'tools'] : action === 'revoke' ? ['name'] : []
  return ['name', 'as', 'scope', 'tools'].find((flag) => values[flag] !== undefined && !own.includes(flag))
}

function noAction(given: string): ElfmemError {
  const near = nearest(given, ACTIONS)
  return new ElfmemError('INVALID_INPUT', `elfmem tokens does not know "${harmlessLine(given)}".`, {
    recovery: near === undefined ? 'It knows list, add and revoke.' : `Did you mean elfmem tokens ${near}?`,
  })
}

function list(store: TokenStore, { path, tell }: { readonly path: string; readonly tell: Tell }): number {
  const tokens = store.list().map(({ sha256, isAutomatic, madeAt, ...record }) => ({
    ...record,
    sha256: sha256.slice(0, SHOWN_DIGITS),
    made_at: madeAt,
    ...(isAutomatic ? { automatic: true } : {}),
  }))
  const lines = tokens.map(({ name, as, scope, tools, sha256, made_at, ...more }) =>
    [
      `${name}  ${as}`,
      ...(scope === undefined ? [] : [`scope ${scope}`]),
      ...(tools === undefined ? [] : [`tools ${tools}`]),
      `${sha256}…`,
      `since ${made_at.slice(0, 10)}`,
      ...('automatic' in more ? ['made by a server'] : []),
    ].join('  '),
  )
  const none = `No token opens ${path}; elfmem tokens add --name NAME makes one.`
  tell({ tokens }, lines.map(harmlessLine).join('\n') || harmlessLine(none))
  return EXIT_OK
}

function add(
  store: TokenStore,
  { global, values, name }: ParsedFlags & { readonly name: string },
  { io, tell }: { readonly io: CliIo; readonly tell: Tell },
): number {
  const { scope } = values
  const tools = typeof values.tools === 'string' ? values.tools : undefined
  if (tools !== undefined) toolChoiceFrom(tools, operationNames)
  const facts = {
    ...{ name, as: global.as ?? 'agent' },
    ...(typeof scope === 'string' ? { scope } : {}),
    ...(tools === undefined ? {} : { tools }),
  }
  const token = store.add(facts)
  // The token alone goes to standard output, so that a script can take it.
  if (global.json) tell({ ...facts, token }, '')
  else io.stdout.write(`${token}\n`)
  if (!global.json && !global.quiet)
    io.stderr.write(`elfmem: this is the only time that the token "${name}" is shown\n`)
  return EXIT_OK
}

function revoke(store: TokenStore, { name, tell }: { readonly name: string; readonly tell: Tell }): number {
  const revoked = store.revoke(name)
  const shown = harmlessLine(name)
  tell(
    { name, revoked },
    revoked ? `The token "${shown}" opens nothing any more.` : `There is no token "${shown}".`,
  )
  return revoked ? EXIT_OK : EXIT_REFUSED
}

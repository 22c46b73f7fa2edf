import { resolve } from 'node:path'
import { systemFiles } from '../../adapters/project/files.ts'
import { kebabCase } from '../../adapters/project/spelling.ts'
import { SERVICE_VARIABLES } from '../../adapters/project/variables.ts'
import type { Memory } from '../../engine/memory.ts'
import type { OpenMemory } from '../../engine/open-memory.ts'
import { ElfmemError } from '../../errors.ts'
import { answerFor, type Operation } from '../../operations/operation.ts'
import type { CliIo, GlobalOptions } from './io.ts'

/** The parts of a memory that commands need, wherever it is. */
export type CliMemory = Pick<OpenMemory, 'call' | 'limits' | 'location' | 'warm' | 'close'>

/** The service that a command speaks to, and the file of its token. */
export interface Service {
  readonly url: string
  readonly tokenFile: string | undefined
}

/**
 * Returns the service that the flags or the environment name; undefined if a memory of this machine is meant, as `--db` says.
 * Bun fills the environment from files that somebody else may have made, so that only flags count there.
 */
export function serviceOf({ url, tokenFile, db }: GlobalOptions, { env }: CliIo): Service | undefined {
  const variables = 'bun' in process.versions ? {} : env
  const given = url ?? (db === undefined ? variables[SERVICE_VARIABLES.url] || undefined : undefined)
  if (given === undefined && tokenFile !== undefined)
    throw new ElfmemError('INVALID_INPUT', '--token-file is for a service, and none is named.', {
      recovery: 'Add --url https://…, or leave it out.',
    })
  return given === undefined ? undefined : { url: given, tokenFile }
}

/** Opens the memory that a token opens at a service. */
export async function openService(service: Service, global: GlobalOptions, io: CliIo): Promise<CliMemory> {
  const { db, memory, config, envFile, as, anew } = global
  const local = { db, memory, config, 'env-file': envFile, as, new: anew || undefined }
  const [other] = Object.entries(local).find(([, value]) => value !== undefined) ?? []
  if (other !== undefined)
    throw new ElfmemError('INVALID_INPUT', `--url and --${other} contradict each other.`, {
      recovery: `Leave out --${other}: the token says which memory is meant, and with which rights.`,
    })
  const { openMemory } = await import('../../client/index.ts')
  return asCliMemory(await openMemory(service.url, { token: tokenOf(service, io) }))
}

/** Returns the token of a file that nobody else may read, or of the environment; throws `CONFIG_INVALID`. */
function tokenOf({ tokenFile }: Service, { env, cwd }: CliIo): string {
  const file = tokenFile ?? (env[SERVICE_VARIABLES.tokenFile] || undefined)
  const path = file === undefined ? undefined : resolve(cwd, file)
  const token =
    path === undefined
      ? env[SERVICE_VARIABLES.token]
      : systemFiles.read(path, { owner: process.getuid?.(), isPrivate: true })?.trim()
  if (token) return token
  const missing = path === undefined ? 'No token for the service is given.' : `${path} holds no token.`
  throw new ElfmemError('CONFIG_INVALID', missing, {
    recovery: `Name a file that holds it with --token-file, or set ${SERVICE_VARIABLES.token}. No flag takes the token itself.`,
    details: { option: 'token-file' },
  })
}

/** Returns a memory at a service as commands and an MCP server call it. */
function asCliMemory(remote: Memory): CliMemory {
  const { limits, location } = remote
  return {
    ...{ limits, location, warm: remote.warm, close: () => remote.close() },
    call: (operation, input, { signal, once, answer: form } = {}) => {
      refusePlaces(operation, input)
      const method = remote[operation.name as 'guide'] as (...given: unknown[]) => Promise<unknown>
      // The command cuts a long answer itself, so the service sends all of it.
      const ask = (asked: unknown) => method(asked, { signal, once })
      return answerFor(operation, ask, Object(input), { limits, form })
    },
  }
}

/** Refuses places of a machine: this one has none that the service could reach, and nobody names those of the service. */
function refusePlaces({ name, local = {} }: Operation, input: unknown): void {
  const given = Object.keys(local).find((key) => Object(input)[key] !== undefined)
  if (given === undefined) return
  const command = kebabCase(name)
  throw new ElfmemError(
    'INVALID_INPUT',
    `${command}: ${given} is a place of one machine, and the memory is at a service.`,
    {
      recovery: `Leave out ${given}, or run elfmem ${command} on the machine of the service.`,
      details: { operation: name, arguments: [given] },
    },
  )
}

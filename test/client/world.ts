import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, createServer as createLine, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { ElfmemError, type Memory, openMemory } from '../../src/client/index.ts'
import { startService, type TestService } from '../service/helpers/service.ts'

/** A service, and the memory that a client opens there. */
export async function atService(
  options: Partial<Parameters<typeof openMemory>[1]> = {},
): Promise<{ readonly service: TestService; readonly memory: Memory; readonly token: string }> {
  const service = await startService()
  const token = service.token('ann', { capability: 'owner' })
  const memory = await openMemory(service.url, { token, ...options })
  onTestFinished(() => memory.close())
  return { service, memory, token }
}

/** Listens on a free port of this machine until the test ends. */
async function listening(server: Server | ReturnType<typeof createLine>): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const ABOUT = { name: 'm', capability: 'owner', limits: {}, shouldDream: false, database: 'SQLite' }

/** A server that describes a memory, and answers everything else as the test says. */
export async function hostile(
  answer: (asked: IncomingMessage, told: ServerResponse) => void,
): Promise<string> {
  const server = createServer((asked, told) => {
    if (asked.url !== '/v1/memory') return answer(asked, told)
    told.setHeader('content-type', 'application/json')
    told.end(JSON.stringify(ABOUT))
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return listening(server)
}

/** What becomes of one connection of a proxy. */
export type Fate = 'through' | 'cut before' | 'cut the answer' | 'half' | 'silent'

/** A proxy in front of a service whose connections end as the fates say, in their order; all later ones go through. */
export async function proxy(target: string, fates: Fate[]) {
  const { hostname, port } = new URL(target)
  const sockets = new Set<Socket>()
  const seen: string[] = []
  const server = createLine({ allowHalfOpen: true }, (near) => {
    const fate = fates.shift() ?? 'through'
    sockets.add(near)
    near.on('error', () => undefined)
    if (fate === 'cut before') return void near.destroy()
    near.on('data', (bytes) => seen.push(bytes.toString('latin1')))
    if (fate === 'silent') return
    const far = connect({ host: hostname, port: Number(port) })
    sockets.add(far)
    far.on('error', () => near.destroy())
    near.pipe(far)
    if (fate === 'through') return void far.pipe(near)
    // The service did it, and its answer is lost or comes by half.
    far.once('data', (bytes) => {
      if (fate === 'half') near.end(bytes.subarray(0, 60))
      else near.destroy()
      far.destroy()
    })
  })
  onTestFinished(() => {
    for (const each of sockets) each.destroy()
    server.close()
  })
  const streams = () => [...seen.join('').matchAll(/GET \/v1\/watch/g)].length
  const keys = () => [...seen.join('').matchAll(/^idempotency-key: (\S+)/gim)].map(([, key]) => key)
  return {
    url: await listening(server),
    keys,
    streams,
    fates,
    cut: () => {
      for (const each of sockets) each.destroy()
    },
  }
}

/** Returns the error of a call that is refused. */
export async function failureOf(call: Promise<unknown>): Promise<ElfmemError> {
  const cause = await call.then(
    () => undefined,
    (error: unknown) => error,
  )
  if (ElfmemError.is(cause)) return cause
  throw cause instanceof Error ? cause : new Error('It was not refused.')
}

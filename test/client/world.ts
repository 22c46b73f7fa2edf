import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import { openMemory } from '../../src/client/index.ts'
import { startService } from '../service/helpers/service.ts'

/** A service, and the memory that a client opens there as its owner. */
export async function atService() {
  const service = await startService()
  const token = service.token('ann', { capability: 'owner' })
  const memory = await openMemory(service.url, { token })
  onTestFinished(() => memory.close())
  return { service, memory, token }
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
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

interface Reply {
  readonly status: number
  readonly body: string
  readonly retryAfter?: string
  readonly location?: string
}

/** A server that describes a memory and then gives these answers, the last one again and again. */
export async function answering(replies: readonly Reply[]) {
  let asked = 0
  const url = await hostile((_, told) => {
    const { status, body, retryAfter, location } = replies[Math.min(asked, replies.length - 1)] as Reply
    asked += 1
    if (retryAfter !== undefined) told.setHeader('retry-after', retryAfter)
    if (location !== undefined) told.setHeader('location', location)
    told.writeHead(status).end(body)
  })
  return { url, asked: () => asked }
}

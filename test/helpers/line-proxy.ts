import { connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** A request whose answer is lost: the next one that matches. Its line ends once the server has answered, after so many bytes of the answer. */
interface Loss {
  readonly asked: RegExp
  readonly passes?: number
}

/** Options of a proxy: when it ends, and the milliseconds that each direction takes. */
interface ProxyOptions {
  readonly lasts?: 'test' | 'until closed'
  readonly delayMs?: number
}

/** Opens a proxy between a client and a port of this machine, which does to the lines what networks do; it ends with the test unless told otherwise. */
export async function openProxy(port: number, { lasts = 'test', delayMs = 0 }: ProxyOptions = {}) {
  const lines = new Map<Socket, Socket>()
  const [losses, seen]: [Loss[], string[]] = [[], []]
  let [refused, isHeld, isAsking] = [0, false, false]
  let [turns, underway] = [0, 0]
  /** Passes bytes on in their order. */
  const pass = (to: Socket, bytes: Uint8Array) => {
    if (delayMs === 0) return void to.write(bytes)
    underway += 1
    setTimeout(() => {
      underway -= 1
      to.write(bytes)
    }, delayMs)
  }
  const sides = () => [...lines].flat()
  const cut = () => {
    for (const side of sides()) side.destroy()
  }
  const listener = createServer({ allowHalfOpen: true }, (client) => {
    client.on('error', () => undefined)
    if (refused-- > 0) return void client.destroy()
    refused = 0
    const server = connect(port, '127.0.0.1')
    let losing: Loss | undefined
    lines.set(client, server)
    if (isHeld) for (const side of [client, server]) side.pause()
    client.on('data', (bytes) => {
      const text = bytes.toString('latin1')
      seen.push(text)
      if (losses[0]?.asked.test(text)) losing = losses.shift()
      if (!isAsking) turns += 1
      isAsking = true
      pass(server, bytes)
    })
    server.on('data', (bytes) => {
      isAsking = false
      if (losing === undefined) return pass(client, bytes)
      client.write(bytes.subarray(0, losing.passes ?? 0), end)
    })
    const end = () => {
      lines.delete(client)
      client.destroy()
      server.destroy()
    }
    for (const side of [client, server]) side.on('error', end).on('close', end)
    client.on('end', () => server.end())
  })
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
  const { port: own } = listener.address() as { port: number }
  const close = async () => {
    cut()
    await new Promise((done) => listener.close(done))
  }
  if (lasts === 'test') onTestFinished(close)
  return {
    /** Returns an address of the server by way of the proxy. */
    through: (url: string) => url.replace(`:${port}`, `:${own}`),
    /** Ends all lines at once, as a router that forgets them does. */
    cut,
    /** Ends the direction from the server to the client alone, in order. */
    halfClose: () => {
      for (const client of lines.keys()) client.end()
    },
    /** Passes nothing on until `go` is called. */
    hold: () => {
      isHeld = true
      for (const side of sides()) side.pause()
    },
    go: () => {
      isHeld = false
      for (const side of sides()) side.resume()
    },
    /** Ends the next lines before anything is sent. */
    refuse: (count: number) => {
      refused = count
    },
    lose: (...more: readonly Loss[]) => void losses.push(...more),
    /** All that clients sent. */
    seen: () => seen.join(''),
    /** Returns how often clients asked something after they had been answered: requests that are sent together are one turn. */
    turns: () => turns,
    /** Resolves once nothing is on its way. */
    quiet: async () => {
      while (underway > 0) await new Promise((turn) => setImmediate(turn))
    },
    close,
  }
}

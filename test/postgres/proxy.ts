import { connect, createServer, type Socket } from 'node:net'

/** A proxy stands between a client and a server, and does to the lines what networks do. */
export interface LineProxy {
  /** Returns the address of a database by way of the proxy. */
  through(url: string): string
  /** Ends all lines at once, as a router that forgets them does. */
  cut(): void
  /** Ends the direction from the server to the client alone, in order. */
  halfClose(): void
  /** Passes nothing on until `go` is called. */
  hold(): void
  go(): void
  /** From the next bytes on that match, passes no answer on and cuts the line once the server has answered. */
  loseAnswerTo(pattern: RegExp): void
  /** The number of lines that are open. */
  readonly lines: number
  /** How often clients asked something after they had been answered: several requests that are sent together are one turn. */
  readonly turns: number
  /** Resolves once nothing is on its way. */
  quiet(): Promise<void>
  close(): Promise<void>
}

interface Line {
  readonly client: Socket
  readonly server: Socket
  losing: boolean
}

/** Opens a proxy to a port of this machine; each direction takes some milliseconds. */
export async function openProxy(port: number, milliseconds = 0): Promise<LineProxy> {
  const lines = new Set<Line>()
  let turns = 0
  let underway = 0
  let isAsking = false
  /** Passes bytes on in their order. */
  const pass = (to: Socket, bytes: Uint8Array) => {
    if (milliseconds === 0) return void to.write(bytes)
    underway += 1
    setTimeout(() => {
      underway -= 1
      to.write(bytes)
    }, milliseconds)
  }
  let pattern: RegExp | undefined
  let isHeld = false
  const listener = createServer((client) => {
    const server = connect(port, '127.0.0.1')
    const line: Line = { client, server, losing: false }
    lines.add(line)
    if (isHeld) for (const each of [client, server]) each.pause()
    client.on('data', (bytes) => {
      if (pattern?.test(bytes.toString('latin1'))) {
        pattern = undefined
        line.losing = true
      }
      if (!isAsking) turns += 1
      isAsking = true
      pass(server, bytes)
    })
    server.on('data', (bytes) => {
      if (line.losing) end(line)
      else {
        isAsking = false
        pass(client, bytes)
      }
    })
    for (const each of [client, server]) {
      each.on('error', () => end(line))
      each.on('close', () => end(line))
    }
  })
  const end = (line: Line) => {
    lines.delete(line)
    line.client.destroy()
    line.server.destroy()
  }
  await new Promise<void>((done) => listener.listen(0, '127.0.0.1', done))
  const { port: own } = listener.address() as { port: number }
  const each = (work: (line: Line) => void) => {
    for (const line of [...lines]) work(line)
  }
  const sides = (work: (side: Socket) => void) =>
    each(({ client, server }) => {
      for (const side of [client, server]) work(side)
    })
  return {
    through: (url) => url.replace(`:${port}/`, `:${own}/`),
    cut: () => each(end),
    halfClose: () => each(({ client }) => client.end()),
    hold: () => {
      isHeld = true
      sides((side) => side.pause())
    },
    go: () => {
      isHeld = false
      sides((side) => side.resume())
    },
    loseAnswerTo: (asked) => {
      pattern = asked
    },
    get lines() {
      return lines.size
    },
    get turns() {
      return turns
    },
    quiet: async () => {
      while (underway > 0) await new Promise((turn) => setImmediate(turn))
    },
    close: async () => {
      each(end)
      await new Promise((done) => listener.close(done))
    },
  }
}

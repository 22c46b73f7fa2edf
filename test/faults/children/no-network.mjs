// Loaded before anything else, in the main thread and in every worker: whoever asks for the network ends the process.
import dgram from 'node:dgram'
import dns from 'node:dns'
import { syncBuiltinESMExports } from 'node:module'
import net from 'node:net'

const refuse = (what) => () => {
  process.stderr.write(`asked for the network: ${what}\n`)
  process.exit(97)
}
net.Socket.prototype.connect = refuse('a socket')
net.Server.prototype.listen = refuse('a listening socket')
dgram.createSocket = refuse('a datagram socket')
for (const name of ['lookup', 'resolve', 'resolve4', 'resolve6']) {
  dns[name] = refuse(`dns.${name}`)
  dns.promises[name] = refuse(`dns.promises.${name}`)
}
globalThis.fetch = refuse('fetch')
syncBuiltinESMExports()

// Kills this process before the n-th step that changes the files of a client or the manifest, without any warning.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

let left = Number(process.env.DIE_AT)
for (const name of [
  'writeFileSync',
  'openSync',
  'renameSync',
  'rmSync',
  'mkdirSync',
  'rmdirSync',
  'fsyncSync',
]) {
  const step = fs[name]
  fs[name] = (...parameters) => {
    const isReading = name === 'openSync' && typeof parameters[1] === 'number'
    const isOurs = /\/home\/|\/project\//.test(String(parameters[0])) || typeof parameters[0] === 'number'
    if (isOurs && !isReading && left-- === 0) process.kill(process.pid, 'SIGKILL')
    return step(...parameters)
  }
}
syncBuiltinESMExports()

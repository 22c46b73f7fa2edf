import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { basename } from 'node:path'

/** A registry that has one package more than the one it sends all other questions to. */
export interface Registry extends AsyncDisposable {
  readonly url: string
}

/** Serves the tarball as the only version of its package, until disposed of. */
export async function serveTarball(
  tarball: string,
  manifest: { readonly name: string; readonly version: string },
  upstream: string,
): Promise<Registry> {
  const bytes = readFileSync(tarball)
  const { name, version } = manifest
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    if (path === `/${name}`) {
      const dist = {
        tarball: `${url}/${name}/-/${basename(tarball)}`,
        integrity: `sha512-${createHash('sha512').update(bytes).digest('base64')}`,
        shasum: createHash('sha1').update(bytes).digest('hex'),
      }
      response.setHeader('content-type', 'application/json')
      const versions = { [version]: { ...manifest, dist } }
      response.end(JSON.stringify({ name, 'dist-tags': { latest: version }, versions }))
    } else if (path.startsWith(`/${name}/-/`)) response.end(bytes)
    else response.writeHead(307, { location: new URL(path.slice(1), upstream).href }).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    url,
    [Symbol.asyncDispose]: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

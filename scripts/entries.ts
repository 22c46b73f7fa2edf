import manifest from '../package.json' with { type: 'json' }

/** The built files that the package exports, without `.js`. */
export const EXPORTS: readonly string[] = Object.values(manifest.exports).flatMap((entry) =>
  typeof entry === 'string' ? [] : [entry.default.slice('./dist/'.length, -'.js'.length)],
)

/** Optional packages stay outside of bundles, because a user may have none or another version of them. */
export const OPTIONAL = new RegExp(
  `^(?:@ai-sdk/.*|(?:${Object.keys(manifest.peerDependencies).join('|')})(?:/.*)?)$`,
)

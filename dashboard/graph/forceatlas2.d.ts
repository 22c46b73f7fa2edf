declare module 'graphology-layout-forceatlas2/iterate.js' {
  /** One step of ForceAtlas2 over the package's own matrices: ten numbers a node, three an edge. */
  export default function iterate(
    settings: Readonly<Record<string, boolean | number>>,
    nodes: Float32Array,
    edges: Float32Array,
  ): void
}

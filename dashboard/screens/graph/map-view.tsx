import { useEffect, useRef } from 'preact/hooks'
import type { Camera, Insets } from '../../graph/camera.ts'
import { BlockMap } from '../../graph/map.ts'
import type { OnMap } from './use-scene.ts'

interface MapViewProps {
  readonly onMap: OnMap
  readonly insets: Insets
  /** A sentence for who does not see the picture. */
  readonly label: string
  readonly isSettled: boolean
  readonly onSelect: (point: number | undefined) => void
  /** The buttons of the screen move the map by it. */
  readonly handle: { current: BlockMap | undefined }
}

/** The map of blocks. Each picture keeps its own camera, so that one comes back to where one was. */
export function MapView({ onMap, insets, label, isSettled, onSelect, handle }: MapViewProps) {
  const host = useRef<HTMLDivElement>(null)
  const now = useRef({ onMap, onSelect })
  now.current = { onMap, onSelect }
  const cameras = useRef(new Map<string, Camera>())
  const key = useRef<string>(undefined)
  useEffect(() => {
    if (host.current === null) return
    const map = new BlockMap(host.current, {
      click: (point) => now.current.onSelect(point),
      hover: (point) => map.lay(point === undefined ? undefined : now.current.onMap.overlay(point)),
    })
    handle.current = map
    return () => {
      handle.current = undefined
      map.destroy()
    }
  }, [handle])
  useEffect(() => {
    const map = handle.current
    if (map === undefined) return
    const isOther = key.current !== onMap.key
    if (isOther && key.current !== undefined) cameras.current.set(key.current, map.camera)
    key.current = onMap.key
    const camera = isOther && onMap.kind !== 'near' ? cameras.current.get(onMap.key) : undefined
    const room = onMap.kind === 'folded' ? forDiscs(insets) : insets
    map.show(onMap.scene, { fit: isOther, insets: room, ...(camera === undefined ? {} : { camera }) })
  }, [onMap, insets, handle])
  return (
    <div
      class="map"
      ref={host}
      role="img"
      aria-label={label}
      data-kind={onMap.kind}
      data-settled={isSettled ? '' : undefined}
    />
  )
}

/** Discs reach beyond their middles, and their names beyond them. */
function forDiscs({ top, right, bottom, left }: Insets): Insets {
  return { top: top + 70, right: right + 60, bottom: bottom + 60, left: left + 90 }
}

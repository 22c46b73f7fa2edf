// Reductions over the four lanes of an f32 vector, in a fixed order.

@inline export function sumLanes(v: v128): f32 {
  return f32x4.extract_lane(v, 0) + f32x4.extract_lane(v, 1)
    + f32x4.extract_lane(v, 2) + f32x4.extract_lane(v, 3);
}

@inline export function maxLanes(v: v128): f32 {
  return Mathf.max(
    Mathf.max(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1)),
    Mathf.max(f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3)));
}

@inline export function minLanes(v: v128): f32 {
  return Mathf.min(
    Mathf.min(f32x4.extract_lane(v, 0), f32x4.extract_lane(v, 1)),
    Mathf.min(f32x4.extract_lane(v, 2), f32x4.extract_lane(v, 3)));
}

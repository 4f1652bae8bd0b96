// Shows where a parcel is.

const API = "https://parcels.example/track"; // the slashes in the address are no comment

export async function track(code) {
  const answer = await fetch(`${API}/${encodeURIComponent(code)}`);
  // TODO: say something friendlier when the code is unknown,
  // and offer to scan it again.
  if (!answer.ok) throw new Error("not found");
  return answer.json();
}

export function distance(metres) {
  /* HACK: rounds to whole kilometres, the page has no room for more. */
  return `${Math.round(metres / 1000)} km`;
}

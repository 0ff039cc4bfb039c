/** Runs it once the event loop has read what had arrived. */
export const systemSoon = (run: () => void): void => {
  setImmediate(run)
}

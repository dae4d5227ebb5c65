// wait: time passes.
module.exports = async function wait (self, { ticks }) {
  await self.pause(ticks)
  return { reason: null, number: 1 }
}

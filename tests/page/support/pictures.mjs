// SPDX-License-Identifier: Apache-2.0
// How much of two pictures is different. Equal files need no look; else a page of nothing compares them.

// The part of the pixels, 0 to 1, in which the two PNGs differ visibly. `page` is any page of the browser.
export async function different_parts(page, [a, b]) {
  if (a.equals(b)) return 0;
  const blank = await page.context().newPage();
  try {
    return await blank.evaluate(async (pictures) => {
      const pixels = async (text) => {
        const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
        const image = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
        const canvas = new OffscreenCanvas(image.width, image.height);
        const brush = canvas.getContext("2d");
        brush.drawImage(image, 0, 0);
        return brush.getImageData(0, 0, image.width, image.height).data;
      };
      const [x, y] = [await pixels(pictures[0]), await pixels(pictures[1])];
      if (x.length !== y.length) return 1;
      const kSeen = 8; // of 255
      let different = 0;
      for (let i = 0; i < x.length; i += 4)
        if ([0, 1, 2].some((c) => Math.abs(x[i + c] - y[i + c]) > kSeen)) different += 1;
      return different / (x.length / 4);
    }, [a.toString("base64"), b.toString("base64")]);
  } finally {
    await blank.close();
  }
}

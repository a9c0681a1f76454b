// Tells that a key was refused or a link has ended; signing in itself needs no script.
document.querySelector("#refused").hidden = !location.search.includes("refused");
document.querySelector("#ended").hidden = !location.search.includes("ended");
